import { ApiError } from '../../api/api-client.js';
import { type Output, useAction, useOperation, useTask } from '../../api/hooks.js';
import { browserName } from '../../browser-name.js';
import { formatCountOf } from '../../format.js';
import { PageHeader, QueryView } from '../../parts/page.js';
import { StateDot, DataTable, DueTime, PastTime } from '../../parts/data.js';
import { ConfirmedButton } from '../../parts/form.js';
import { Button } from '../../parts/ui.js';

type ListedSession = Output<'listSessions'>['sessions'][number];

/** Page of the owner's sessions. */
export function Page() {
  const sessions = useOperation('listSessions', {});
  return (
    <>
      <PageHeader
        title="Sessions"
        description="Where you are signed in to this console. End any session you don’t recognize."
      />
      <QueryView query={sessions} label="your sessions">
        {(data) => <List sessions={data.sessions} />}
      </QueryView>
    </>
  );
}

function List({ sessions }: { readonly sessions: readonly ListedSession[] }) {
  const others = sessions.filter(({ current }) => !current);
  const endOthers = useEndSessions();
  return (
    <div className="stack">
      {others.length === 0 ? (
        <p className="dim">This is your only session</p>
      ) : (
        <div>
          <ConfirmedButton
            label="End all other sessions"
            title="End all other sessions?"
            confirmLabel="End sessions"
            isDangerous
            action={endOthers}
            given={others.map(({ id }) => id)}
          >
            {`${formatCountOf(others.length, 'session ends', 'sessions end')} immediately. You need to sign in there again. This session stays active.`}
          </ConfirmedButton>
        </div>
      )}
      <DataTable
        caption="Your sessions, newest first"
        rows={sessions}
        rowKey={({ id }) => id}
        columns={{
          Browser: ({ userAgent, current }) => (
            <div className="row" title={userAgent ?? ''}>
              {browserName(userAgent)}
              {current && <StateDot tone="good" label="This session" />}
            </div>
          ),
          Address: ({ remoteAddress }) => remoteAddress,
          'Signed in': ({ startedAt }) => <PastTime at={startedAt} />,
          'Last used': ({ lastSeenAt }) => <PastTime at={lastSeenAt} />,
          'Expires if unused': ({ expiresAt }) => <DueTime at={expiresAt} />,
          Action: (session) => !session.current && <EndButton session={session} />,
        }}
      />
    </div>
  );
}

function EndButton({ session }: { readonly session: ListedSession }) {
  const end = useAction('endSession', { done: 'Session ended', toastsFailure: true });
  return (
    <Button
      size="xs"
      variant="default"
      aria-label={`End the session of ${browserName(session.userAgent)} from ${session.remoteAddress}`}
      loading={end.isRunning}
      onClick={() => end.run({ params: { id: session.id } })}
    >
      End
    </Button>
  );
}

/** Ends sessions one by one; ignores sessions that have already ended. */
function useEndSessions() {
  return useTask(
    async (api, ids: readonly string[]) => {
      for (const id of ids) {
        try {
          await api.call('endSession', { params: { id } });
        } catch (thrown) {
          if (!(thrown instanceof ApiError) || thrown.status !== 404) throw thrown;
        }
      }
    },
    { done: 'All other sessions ended' },
  );
}
