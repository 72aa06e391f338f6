import { Button, Group, Text } from '@mantine/core';

/** What stands below a list: how many are shown, and a button for more while there are. */
export function LoadMore(props: {
  readonly shown: number;
  /** What they are, e.g. `deliveries`. */
  readonly what: string;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly loadMore: () => void;
}) {
  const { shown, what, hasMore, isLoadingMore } = props;
  return (
    <Group justify="center" mt="md" gap="sm">
      <Text size="sm" c="dimmed" role="status">
        {hasMore ? `${shown} ${what} shown` : shown === 1 ? 'All shown' : `All ${shown} ${what} shown`}
      </Text>
      {hasMore && (
        <Button variant="default" size="sm" loading={isLoadingMore} onClick={props.loadMore}>
          Load more
        </Button>
      )}
    </Group>
  );
}
