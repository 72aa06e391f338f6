/** Languages with receiver code. */
export const LANGUAGE_IDS = ['node', 'python', 'go', 'php', 'ruby', 'csharp', 'java'] as const;

export type LanguageId = (typeof LANGUAGE_IDS)[number];

/** The code of a receiver in one language; each piece is a file in `code`. */
export interface LanguageCode {
  readonly id: LanguageId;
  readonly name: string;
  /** Package of Standard Webhooks, and how to install it. */
  readonly packageName: string;
  readonly install: string;
  /** File that contains `install`; absent: `install` is a command. */
  readonly installInto?: string;
  readonly library: string;
  readonly byHand?: string;
  /** Verifies asymmetric signatures, without a secret. */
  readonly publicKeys?: string;
  /** Web server for the other pieces, unless they contain one. */
  readonly server?: string;
  readonly note?: string;
  /** True if no test runs this code. */
  readonly untested?: true;
}

/** Receiver code by language. */
export const LANGUAGES: readonly LanguageCode[] = [
  {
    id: 'node',
    name: 'Node',
    packageName: 'standardwebhooks',
    install: 'npm install standardwebhooks',
    library: 'node/library.mjs',
    byHand: 'node/by-hand.mjs',
    publicKeys: 'node/public-keys.mjs',
    server: 'node/server.mjs',
  },
  {
    id: 'python',
    name: 'Python',
    packageName: 'standardwebhooks',
    install: 'pip install standardwebhooks',
    library: 'python/library.py',
    byHand: 'python/by_hand.py',
    publicKeys: 'python/public_keys.py',
    server: 'python/server.py',
  },
  {
    id: 'go',
    name: 'Go',
    packageName: 'github.com/standard-webhooks/standard-webhooks/libraries/go',
    install: 'go get github.com/standard-webhooks/standard-webhooks/libraries/go',
    library: 'go/library.go',
  },
  {
    id: 'php',
    name: 'PHP',
    packageName: 'standard-webhooks/standard-webhooks',
    install: 'composer require standard-webhooks/standard-webhooks',
    library: 'php/library.php',
    untested: true,
  },
  {
    id: 'ruby',
    name: 'Ruby',
    packageName: 'standardwebhooks',
    install: 'gem install standardwebhooks sinatra rackup puma',
    library: 'ruby/library.rb',
    untested: true,
  },
  {
    id: 'csharp',
    name: 'C#',
    packageName: 'StandardWebhooks.StandardWebhooks',
    install: 'dotnet add package StandardWebhooks.StandardWebhooks',
    library: 'csharp/library.cs',
    untested: true,
    note: 'The package named just StandardWebhooks is by a different author and has a different interface.',
  },
  {
    id: 'java',
    name: 'Java',
    packageName: 'com.standardwebhooks:standardwebhooks',
    install: `<dependency>
  <groupId>com.standardwebhooks</groupId>
  <artifactId>standardwebhooks</artifactId>
  <version>1.1.1</version>
</dependency>`,
    installInto: 'pom.xml',
    library: 'java/library.java',
    note: 'Java 11 or later. Check Maven Central for the latest version.',
  },
];

/** Returns the language of an id; the first one for an unknown id. */
export function languageNamed(id: string | null | undefined): LanguageId {
  return LANGUAGE_IDS.find((known) => known === id) ?? LANGUAGE_IDS[0];
}
