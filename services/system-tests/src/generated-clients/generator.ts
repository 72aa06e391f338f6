/** A tool that generates a client from the OpenAPI document, and a program that makes calls with this client. */
export interface Generator {
  readonly title: string;
  /**
   * Generates the client from `openapi.json` in this directory, compiles it with its program, and returns the command that
   * runs the program there. The program takes its settings from the environment ({@link ClientSettings}) and prints
   * its report as JSON. Undefined if the toolchain is missing.
   */
  readonly build: ((directory: string) => Promise<readonly [string, ...string[]]>) | undefined;
}

/** Environment of a program. */
export interface ClientSettings extends Readonly<Record<string, string>> {
  readonly BASE_URL: string;
  readonly SELLER_KEY: string;
  readonly INSTALLER_KEY: string;
  /** A job in status `ASSIGNED`, whose version the feed tells, for one status event. */
  readonly JOB_ID: string;
  /** An active subscription, to pause. */
  readonly WEBHOOK_ID: string;
  /** The `cookie` header of an owner's session. */
  readonly COOKIE: string;
  /** The console's origin. */
  readonly ORIGIN: string;
  /** Different in every run. */
  readonly UNIQUE: string;
}
