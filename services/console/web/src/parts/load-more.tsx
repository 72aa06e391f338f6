import { Button, Group, Text } from '@mantine/core';

/** Footer of a list: the number of shown items, and a button for more. */
export function LoadMore(props: {
  readonly shown: number;
  /** Name of the items, e.g. `deliveries`. */
  readonly what: string;
  readonly list: {
    readonly hasMore: boolean;
    readonly isLoadingMore: boolean;
    readonly loadMore: () => void;
  };
}) {
  const { shown, what, list } = props;
  const { hasMore, isLoadingMore, loadMore } = list;
  return (
    <Group justify="center" mt="md" gap="sm">
      <Text size="sm" c="dimmed" role="status">
        {hasMore ? `${shown} ${what} shown` : shown === 1 ? 'All shown' : `All ${shown} ${what} shown`}
      </Text>
      {hasMore && (
        <Button variant="default" size="sm" loading={isLoadingMore} onClick={loadMore}>
          Load more
        </Button>
      )}
    </Group>
  );
}
