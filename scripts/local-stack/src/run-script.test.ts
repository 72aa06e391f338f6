import { expect, test } from '@jest/globals';
import { runCommand } from './run-command.js';

test('an interrupted program ends what it started, though work that no one waits for fails meanwhile', async () => {
  const module = new URL('run-script.js', import.meta.url).href;
  const program = `
    import { once } from 'node:events';
    import { setImmediate } from 'node:timers/promises';
    import { runScript } from '${module}';
    const interruption = new AbortController();
    await runScript('bench', interruption, async () => {
      setInterval(() => undefined, 1_000);
      process.kill(process.pid, 'SIGINT');
      await once(interruption.signal, 'abort');
      Promise.reject(new Error('the connection is lost'));
      await setImmediate();
      console.log('ended everything');
      throw interruption.signal.reason;
    });`;
  const result = await runCommand(process.execPath, ['--input-type=module', '--eval', program]);
  expect(result).toEqual({
    exitCode: 130,
    stdout: 'ended everything\n',
    stderr: 'scripts/bench: ended by SIGINT\n',
  });
});
