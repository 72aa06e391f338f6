/** Returns the WCAG 2 contrast of two colours such as `#0f6a5c`, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [lighter = 1, darker = 1] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((place) => {
    const share = Number.parseInt(color.slice(place, place + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
