import { findProgram } from '@partner/test-kit/backing-services/local-process';

const MAC_DIRECTORIES = [
  '/Applications/Chromium.app/Contents/MacOS',
  '/Applications/Google Chrome.app/Contents/MacOS',
];

export function findChromium(): string | undefined {
  return (
    findProgram('chromium') ??
    findProgram('google-chrome') ??
    findProgram('Chromium', MAC_DIRECTORIES) ??
    findProgram('Google Chrome', MAC_DIRECTORIES)
  );
}
