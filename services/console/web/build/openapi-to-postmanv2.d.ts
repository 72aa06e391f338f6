declare module 'openapi-to-postmanv2' {
  const converter: { readonly convertV2: typeof convertV2 };
  export default converter;
  /** Converts an OpenAPI document to a Postman collection. */
  function convertV2(
    input: { readonly type: 'json'; readonly data: object },
    options: Readonly<Record<string, string | boolean>>,
    done: (
      error: Error | null,
      conversion: {
        readonly result: boolean;
        readonly reason?: string;
        readonly output?: readonly { readonly data: object }[];
      },
    ) => void,
  ): void;
}
