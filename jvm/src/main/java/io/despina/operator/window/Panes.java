package io.despina.operator.window;

import io.despina.expr.Accumulator;
import io.despina.expr.Aggregation;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.spec.Windows;
import io.despina.state.KeyedTable;
import io.despina.state.WindowTables;
import java.util.TreeMap;

/**
 * Composes windows of panes. Neighbouring panes are merged once into a block, which serves all windows that hold the whole block:
 * a window of n panes then takes about 2√n merges per group, not n. Blocks take at most as much memory as the panes. They are no
 * state: they are made when a window fires, and dropped when one of their panes changes.
 */
final class Panes {
    /** A window of fewer panes is composed without blocks. */
    private static final int FEW = 16;

    private final WindowTables<Accumulator> tables;
    private final Aggregation aggregation;
    private final Windows windows;
    /** The length of a block in microseconds; 0 without blocks. */
    private final long span;
    /** By start. */
    private final TreeMap<Long, KeyedTable<Accumulator>> blocks = new TreeMap<>();
    /** The end of the last block. */
    private long end = Long.MIN_VALUE;
    private long blockBytes;
    private final Packet group;

    /** @param tables of the panes, by their starts */
    Panes(WindowTables<Accumulator> tables, Schema keys, Aggregation aggregation, Windows windows) {
        this.tables = tables;
        this.aggregation = aggregation;
        this.windows = windows;
        group = new Packet(keys.layout());
        long count = windows.size() / windows.pane();
        span = count < FEW ? 0 : Math.round(Math.sqrt(count)) * windows.pane();
    }

    /** To be called before the pane that starts at {@code start} changes. */
    void changes(long start) {
        if (start < end) {
            drop(start);
        }
    }

    private void drop(long start) {
        var block = blocks.floorEntry(start);
        if (block != null && start - block.getKey() < span) {
            forget(block.getKey());
        }
    }

    private void forget(long start) {
        blockBytes -= blocks.remove(start).bytes();
        end = blocks.isEmpty() ? Long.MIN_VALUE : blocks.lastKey() + span;
    }

    /** The groups of a window, its earliest pane's first. To be read only until a pane changes. */
    KeyedTable<Accumulator> merged(long windowStart, long windowEnd) {
        int k = 0;
        while (k < tables.size() && tables.start(k) < windowStart) {
            k++;
        }
        KeyedTable<Accumulator> first = null;
        KeyedTable<Accumulator> merged = null;
        while (k < tables.size() && tables.start(k) < windowEnd) {
            long start = tables.start(k);
            KeyedTable<Accumulator> part;
            if (holdsBlock(start, windowStart, windowEnd)) {
                int after = after(k, start - inBlock(start) + span);
                part = after == k + 1 ? tables.table(k) : block(k, after);
                k = after;
            } else {
                part = tables.table(k++);
            }
            if (first == null) {
                first = part;
                continue;
            }
            if (merged == null) {
                merged = tables.newTable();
                add(first, merged);
            }
            add(part, merged);
        }
        return merged == null ? first : merged;
    }

    private long inBlock(long start) {
        return Math.floorMod(start, span);
    }

    /** Whether the window holds all of the block of the pane at {@code start}; differences, since a sum may overflow. */
    private boolean holdsBlock(long start, long windowStart, long windowEnd) {
        return span > 0 && start - windowStart >= inBlock(start) && windowEnd - start >= span - inBlock(start);
    }

    /** The first pane after the {@code from}th that starts at {@code end} or later. */
    private int after(int from, long end) {
        int k = from + 1;
        while (k < tables.size() && tables.start(k) < end) {
            k++;
        }
        return k;
    }

    private KeyedTable<Accumulator> block(int from, int to) {
        long start = tables.start(from) - inBlock(tables.start(from));
        KeyedTable<Accumulator> block = blocks.get(start);
        if (block == null) {
            block = tables.newTable();
            for (int k = from; k < to; k++) {
                add(tables.table(k), block);
            }
            blocks.put(start, block);
            blockBytes += block.bytes();
            end = Math.max(end, start + span);
        }
        return block;
    }

    private void add(KeyedTable<Accumulator> from, KeyedTable<Accumulator> into) {
        for (int k = 0; k < from.limit(); k++) {
            from.key(k, group);
            int entry = into.find(group);
            if (entry == KeyedTable.NONE) {
                entry = into.add(group, aggregation.create());
            }
            aggregation.merge(into.edit(entry), from.get(k));
        }
    }

    /** Drops the panes that start before {@code start}. */
    void close(long start) {
        while (!tables.isEmpty() && tables.start(0) < start) {
            tables.removeFirst();
        }
        while (!blocks.isEmpty() && blocks.firstKey() < start) {
            forget(blocks.firstKey());
        }
    }

    /** The first end after {@code after} of a window that holds a pane; {@link Long#MAX_VALUE} if there is none. */
    long nextEnd(long after) {
        for (int k = 0; k < tables.size(); k++) {
            long start = tables.start(k);
            long next = windows.firstEnd(Math.max(start, after));
            if (next <= windows.lastStart(start) + windows.size()) {
                return next;
            }
        }
        return Long.MAX_VALUE;
    }

    /** How many windows that have not fired hold a pane. @param firstEnd of the first of them; of no use if there is no pane */
    long windows(long firstEnd) {
        long count = 0;
        long next = firstEnd;
        for (int k = 0; k < tables.size(); k++) {
            long start = tables.start(k);
            long last = windows.lastStart(start) + windows.size();
            next = Math.max(next, windows.firstEnd(start));
            if (last >= next) {
                count += (last - next) / windows.slide() + 1;
                next = last + windows.slide();
            }
        }
        return count;
    }

    /** To be called after a restore of the panes. */
    void restored() {
        blocks.clear();
        blockBytes = 0;
        end = Long.MIN_VALUE;
    }

    /** The memory that blocks take. */
    long bytes() {
        return blockBytes;
    }
}
