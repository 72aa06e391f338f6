import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { DockerfileParser } from 'dockerfile-ast';
import { z } from 'zod';
import { PROJECT_ROOT } from '@partner/local-stack/stack/project-root';
import type { ServiceName } from '@partner/local-stack/stack/services';

/** One instruction, its lines joined. */
export interface Instruction {
  readonly keyword: string;
  readonly text: string;
}

/** A stage of the build. */
export interface Stage {
  readonly name: string;
  /** The stage or image that it goes on from, as it is written. */
  readonly base: string;
  readonly instructions: readonly Instruction[];
}

/** The file that all images are made of. */
export const DOCKERFILE = path.join(PROJECT_ROOT, 'services/Dockerfile');

/** The stages of services/Dockerfile, and the defaults of the arguments before the first. */
export function readDockerfile(text = readFileSync(DOCKERFILE, 'utf8')): {
  readonly args: ReadonlyMap<string, string>;
  readonly stages: readonly Stage[];
} {
  const file = DockerfileParser.parse(text);
  const args = new Map<string, string>();
  const stages: { name: string; base: string; instructions: Instruction[] }[] = [];
  for (const instruction of file.getInstructions()) {
    const keyword = instruction.getKeyword();
    const written = instruction
      .getTextContent()
      .slice(instruction.getInstruction().length)
      .replaceAll(/\\\n\s*/g, '')
      .trim();
    if (keyword === 'FROM') {
      const [base = '', , name = ''] = written.split(/\s+/);
      stages.push({ name, base, instructions: [] });
    } else if (stages.length === 0) {
      const [name = '', value = ''] = written.split('=');
      args.set(name, value);
    } else {
      stages.at(-1)?.instructions.push({ keyword, text: written });
    }
  }
  return { args, stages };
}

/** A stage by name. Throws when there is none. */
export function stageOf(name: string): Stage {
  const stage = readDockerfile().stages.find((candidate) => candidate.name === name);
  if (stage === undefined) throw new Error(`services/Dockerfile has no stage ${name}`);
  return stage;
}

/**
 * What the COPY lines of a stage bring into `/app` for a service, as places below it; `''` is all of it. Each was at the same
 * place before, in the project or in `/app` of another stage. Throws for a line that moves something.
 */
export function copiedPlaces(stage: Stage, service: ServiceName): readonly string[] {
  const copies = stage.instructions.filter(({ keyword }) => keyword === 'COPY');
  return copies.flatMap(({ text }) => {
    const words = text.replaceAll('${SERVICE}', service).split(/\s+/);
    const places = words
      .filter((word) => !word.startsWith('--'))
      .map((word) => path.posix.relative('/app', path.posix.resolve('/app', word)));
    const sources = places.slice(0, -1);
    for (const source of sources) {
      // A file is put into a folder, of a folder only what it holds.
      const isFile = statSync(path.join(PROJECT_ROOT, source), { throwIfNoEntry: false })?.isFile();
      const kept = isFile === true ? path.posix.dirname(source).replace(/^\.$/, '') : source;
      if (places.at(-1) !== kept) throw new Error(`the stage ${stage.name} moves ${source}: COPY ${text}`);
    }
    return sources;
  });
}

/** The words of the last instruction of a kind, which is written as JSON. */
export function commandOf(stage: Stage, keyword: string): readonly string[] {
  const found = stage.instructions.filter((instruction) => instruction.keyword === keyword).at(-1);
  return z.array(z.string()).parse(JSON.parse(found?.text ?? '[]'));
}
