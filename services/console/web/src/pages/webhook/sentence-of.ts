/** Converts a reason of the API to a sentence: `must use port 443` of `The address` becomes `The address must use port 443.` */
export function sentenceOf(reason: string, subject: string): string {
  const text = /^(must|is|has|can|leads) /.test(reason) ? `${subject} ${reason}` : reason;
  const sentence = `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
