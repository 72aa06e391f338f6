import js from '@eslint/js';
import jest from 'eslint-plugin-jest';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['**/dist/**', '**/node_modules/**', '.stack/**', 'proto-contracts/src/gen/**'] },
  js.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: new URL('..', import.meta.url).pathname },
    },
    rules: {
      '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: true },
      ],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/dot-notation': 'off',
      // Our functions return records of closures; none of them uses `this`.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/require-await': 'off',
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'Export by name.' },
        { selector: 'ExportAllDeclaration', message: 'No barrels: import from the file that defines it.' },
        { selector: 'TSEnumDeclaration', message: 'Use a union of literals.' },
      ],
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  {
    files: ['**/*.test.ts', '**/testing/*.ts', 'services/system-tests/**/*.ts'],
    ignores: ['services/test-kit/src/fast-check.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          name: 'fast-check',
          message: 'Its seed comes from the clock: import fc from @partner/test-kit/fast-check.',
        },
      ],
      'no-restricted-properties': [
        'error',
        {
          object: 'Math',
          property: 'random',
          message: 'Tests make the same choices in every run: @partner/test-kit/seeded-random.',
        },
      ],
    },
  },
  {
    files: ['**/*.test.ts'],
    ...jest.configs['flat/recommended'],
    settings: { jest: { version: 30, globalPackage: '@jest/globals' } },
    rules: {
      ...jest.configs['flat/recommended'].rules,
      'jest/no-disabled-tests': 'error',
      'jest/no-focused-tests': 'error',
      'jest/expect-expect': [
        'error',
        { assertFunctionNames: ['expect*', 'request.**.expect', 'fc.assert', 'assert*'] },
      ],
      'jest/no-conditional-expect': 'off',
      'jest/no-standalone-expect': 'off',
    },
  },
  {
    files: ['services/console/web/early/*.js'],
    languageOptions: {
      globals: {
        addEventListener: 'readonly',
        document: 'readonly',
        HTMLLinkElement: 'readonly',
        HTMLScriptElement: 'readonly',
        localStorage: 'readonly',
        location: 'readonly',
        matchMedia: 'readonly',
        sessionStorage: 'readonly',
        setTimeout: 'readonly',
      },
    },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: { globals: { process: 'readonly', console: 'readonly', URL: 'readonly' } },
  },
);
