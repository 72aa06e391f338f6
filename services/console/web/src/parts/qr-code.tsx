import { Box } from '@mantine/core';
import { encode } from 'uqr';

/** Blank modules around the code, which readers need. */
const QUIET_ZONE = 4;

/** A QR code, dark on white in both color schemes, because some readers need that. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { data, size } = encode(text, { border: QUIET_ZONE });
  const modules = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x},${y}h1v1h-1z`] : [])),
  );
  return (
    <Box
      component="svg"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      w={208}
      h={208}
      // Else there are fine lines between the modules.
      shapeRendering="crispEdges"
      data-secret
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={modules.join('')} fill="#000" />
    </Box>
  );
}
