import files from './dependency-cruiser.config.mjs';

/**
 * Finds folders that import one another. Without the tests: a test may import whatever it drives.
 *
 * @type {import('dependency-cruiser').IConfiguration}
 */
export default {
  forbidden: [
    {
      name: 'circle-of-folders',
      comment: 'move what both folders need to a folder that both import',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
  ],
  options: {
    ...files.options,
    exclude: { path: [...files.options.exclude.path, '[.]test[.]tsx?$', '/testing/'] },
  },
};
