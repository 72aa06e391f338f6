import classes from './delivery.module.css';

/** JSON with colors. Objects and lists below its root can be folded. */
export function Json({ value }: { readonly value: unknown }) {
  return (
    <div className={classes['json']}>
      <Node value={value} isRoot isLast />
    </div>
  );
}

function Node(props: {
  readonly name?: string;
  readonly value: unknown;
  readonly isRoot?: boolean;
  readonly isLast: boolean;
}) {
  const { name, value, isRoot, isLast } = props;
  const key = name !== undefined && (
    <>
      <span className={classes['key']}>{JSON.stringify(name)}</span>
      {': '}
    </>
  );
  const end = isLast ? '' : ',';
  const isList = Array.isArray(value);
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (entries.length === 0) {
    return (
      <div>
        {key}
        <span className={classes[value === null ? 'boolean' : typeof value]}>{JSON.stringify(value)}</span>
        {end}
      </div>
    );
  }
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  const inner = (
    <>
      <div className={classes['inner']}>
        {entries.map(([each, item], place) => (
          <Node
            key={each}
            {...(!isList && { name: each })}
            value={item}
            isLast={place === entries.length - 1}
          />
        ))}
      </div>
      <div>{`${close}${end}`}</div>
    </>
  );
  return isRoot === true ? (
    <>
      <div>{open}</div>
      {inner}
    </>
  ) : (
    <details open>
      <summary data-end={`${close}${end}`}>
        {key}
        {open}
      </summary>
      {inner}
    </details>
  );
}
