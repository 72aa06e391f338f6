import { useState } from 'react';
import { useParams } from 'react-router';
import { type Output, useAction, useOperation } from '../../api/hooks.js';
import { DataTable, DueTime, Facts, type Look, PastTime, StateDot } from '../../parts/data.js';
import { FormFailure, StartButton } from '../../parts/form.js';
import { ChangeButton, Notice, OwnerOnly, PageHeader, Panel, QueryView } from '../../parts/page.js';
import { SecretOnce } from '../../parts/code.js';
import { Link } from '../../parts/link.js';
import { PATHS } from '../../paths.js';
import { useLeaveQuestion } from '../../unsaved.js';
import { UNSTORED_SECRET } from '../webhook/steps.js';

type Proposal = Output<'getWebhookProposal'>;
type Created = Output<'confirmWebhookProposal'>['created'];

/** Page of what an API key proposes to change about the webhooks. An owner confirms it with one button. */
export function Page() {
  const { id = '' } = useParams();
  const proposal = useOperation('getWebhookProposal', { params: { id } });
  return (
    <>
      <PageHeader title="Proposed changes" back={{ to: PATHS.webhooks, label: 'Webhooks' }} />
      <QueryView query={proposal} label="the proposal">
        {(data) => <Content key={id} proposal={data} reload={() => void proposal.refetch()} />}
      </QueryView>
    </>
  );
}

const LOOKS: Readonly<Record<Proposal['state'], Look>> = {
  pending: { tone: 'warn', label: 'Waits for an owner' },
  confirmed: { tone: 'good', label: 'Confirmed' },
  rejected: { tone: 'quiet', label: 'Rejected' },
  expired: { tone: 'quiet', label: 'Expired' },
};

function Content({ proposal, reload }: { readonly proposal: Proposal; readonly reload: () => void }) {
  const { id, digest, state, differences, changedSince, settledSince, problems } = proposal;
  const confirm = useAction('confirmWebhookProposal', { done: 'Changes made' });
  const reject = useAction('rejectWebhookProposal', { done: 'Proposal rejected' });
  const params = { id };
  const changed = new Set(changedSince.map((each) => JSON.stringify(each)));
  // The page is live: an owner confirms only what stood here when they began to read, or said that they have read what replaced it.
  const [read, setRead] = useState(digest);
  const isOther = state === 'pending' && digest !== read;
  return (
    <div className="sections">
      {confirm.response !== undefined && <Secrets created={confirm.response.created} />}
      {(changedSince.length > 0 || settledSince.length > 0) && (
        <Panel title="Your webhooks have changed since this was proposed">
          <Differences caption="Other changes than proposed" of={changedSince} />
          {settledSince.length > 0 && <p className="small">These are no longer needed:</p>}
          <Differences caption="No longer needed" of={settledSince} />
        </Panel>
      )}
      <Panel title={changedSince.length > 0 ? 'The other changes' : 'Changes'}>
        <Differences
          caption="Changes"
          of={differences.filter((each) => !changed.has(JSON.stringify(each)))}
        />
      </Panel>
      {problems.length > 0 && (
        <Notice tone="bad" title="The file doesn’t fit your webhooks any more">
          {problems.join('. ')}
        </Notice>
      )}
      {isOther && (
        <Notice tone="warn" title="The changes above were replaced while you read them">
          <ChangeButton variant="default" onClick={() => setRead(digest)}>
            I have read the new ones
          </ChangeButton>
        </Notice>
      )}
      {state === 'pending' && (
        <OwnerOnly>
          <FormFailure error={reject.error} />
          <StartButton
            action={confirm}
            disabled={problems.length > 0 || isOther}
            onClick={() => confirm.run({ params, body: { digest: read } }, { onError: reload })}
          >
            Confirm changes
          </StartButton>
          <div>
            <ChangeButton variant="default" loading={reject.isRunning} onClick={() => reject.run({ params })}>
              Reject
            </ChangeButton>
          </div>
        </OwnerOnly>
      )}
      <Facts
        facts={{
          State: <StateDot {...LOOKS[state]} />,
          From: proposal.source,
          'API key': proposal.keyId,
          Proposed: <PastTime at={proposal.createdAt} />,
          Expires: state === 'pending' ? <DueTime at={proposal.expiresAt} /> : undefined,
          Decided: proposal.decidedAt && <PastTime at={proposal.decidedAt} />,
          By: proposal.decidedBy,
        }}
      />
    </div>
  );
}

const KINDS: Readonly<Record<Proposal['differences'][number]['kind'], string>> = {
  create: 'Create',
  change: 'Change',
  delete: 'Delete',
  unlisted: 'Stays: not in the file',
};

function Differences({ caption, of }: { readonly caption: string; readonly of: Proposal['differences'] }) {
  const rows = of.flatMap(({ changes, ...difference }) =>
    changes.map((change) => ({ ...difference, ...change })),
  );
  if (rows.length === 0) return null;
  return (
    <DataTable
      caption={caption}
      rows={rows}
      rowKey={({ webhookId, description, field }) => `${webhookId ?? description} ${field}`}
      columns={{
        Webhook: ({ description, webhookId }) => description || webhookId,
        Change: ({ kind, pauses }) => `${KINDS[kind]}${pauses === true ? '; paused until tested' : ''}`,
        Field: ({ field }) => field,
        Present: ({ from }) => from ?? '–',
        Proposed: ({ to }) => to ?? '–',
      }}
    />
  );
}

/** The secrets of the new webhooks, once. */
function Secrets({ created }: { readonly created: Created }) {
  const [stored, setStored] = useState<readonly string[]>([]);
  useLeaveQuestion(stored.length < created.length ? UNSTORED_SECRET : undefined);
  return created.map(({ subscription: { id, description }, secret }) => (
    <Panel key={id} title={`Signing secret of ${description}`}>
      <SecretOnce
        label={`Signing secret of ${description}`}
        secret={secret}
        onStored={(isStored) =>
          setStored(isStored ? [...stored, id] : stored.filter((other) => other !== id))
        }
      />
      <p className="small">
        The webhook is paused. <Link to={PATHS.webhook(id)}>Test and activate it</Link>.
      </p>
    </Panel>
  ));
}
