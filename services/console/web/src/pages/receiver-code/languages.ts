/** The languages that there is code for. */
export const LANGUAGE_IDS = ['node', 'python', 'go', 'php', 'ruby', 'csharp', 'java'] as const;

export type LanguageId = (typeof LANGUAGE_IDS)[number];

/** The code of a receiver in one language; each piece is a file in `code`. */
export interface LanguageCode {
  readonly id: LanguageId;
  readonly name: string;
  /** The package of Standard Webhooks, and how to get it. */
  readonly packageName: string;
  readonly install: string;
  /** Whether `install` is a command or belongs into a file. */
  readonly installInto?: string;
  readonly library: string;
  readonly byHand?: string;
  /** How `library` or `byHand` is put behind a web server, if they do not hold that. */
  readonly server?: string;
  readonly note?: string;
  /** No test runs this code. */
  readonly untested?: true;
}

/** The code of a receiver, by language. */
export const LANGUAGES: readonly LanguageCode[] = [
  {
    id: 'node',
    name: 'Node',
    packageName: 'standardwebhooks',
    install: 'npm install standardwebhooks',
    library: 'node/library.mjs',
    byHand: 'node/by-hand.mjs',
    server: 'node/server.mjs',
  },
  {
    id: 'python',
    name: 'Python',
    packageName: 'standardwebhooks',
    install: 'pip install standardwebhooks',
    library: 'python/library.py',
    byHand: 'python/by_hand.py',
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
    note: 'The package with the short name StandardWebhooks is by another author and has another interface.',
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
    note: 'Java 11 or later. Look for the newest version on Maven Central.',
  },
];

/** The language of an id; the first one when there is none. */
export function languageNamed(id: string | null | undefined): LanguageId {
  return LANGUAGE_IDS.find((known) => known === id) ?? LANGUAGE_IDS[0];
}
