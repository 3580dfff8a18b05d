package io.despina.operator.source.file;

import java.io.IOException;
import java.util.List;

/**
 * Files merged by event time: the next packet is the earliest of the files' next packets; among equal times, the first file in
 * path order wins. When a packet of time t is sent, every file that is not at its end has reached t. So the greatest time sent,
 * less the delay, equals the least of the files' own watermarks, and a packet is late only if it is late in its own file.
 *
 * <p>The first time of a file is unknown until the file is read. An unread file comes before all others: it is opened once for
 * its first packet with an event time, then closed. It is opened again when that packet is next, and stays open to its end. So
 * only files that overlap in time are open together.
 */
final class MergedByTime implements FileOrder {
    /** The next time of an unread file. */
    private static final long UNKNOWN = Long.MIN_VALUE;
    private static final int PEEK_BYTES = 1 << 13;
    /** For all open files together, beyond the smallest block of each. */
    private static final int HELD_BYTES = 1 << 24;
    /** A file takes this part of the remaining bytes for its blocks. */
    private static final int SHARE = 64;

    private final List<SourceFile> files;
    /** A heap of the files that are not at their end, by next time: indexes into {@link #files}. The first has its turn. */
    private final int[] heap;
    /** By file: the event time of its next packet. For the file whose turn it is, the time when the turn began. */
    private final long[] head;
    /** By file: its part of {@link #held}. */
    private final long[] holds;
    private int size;
    private long held;

    MergedByTime(List<SourceFile> files) {
        this.files = files;
        heap = new int[files.size()];
        head = new long[files.size()];
        holds = new long[files.size()];
        restart();
    }

    @Override
    public void restart() {
        size = 0;
        for (int k = 0; k < heap.length; k++) {
            head[k] = UNKNOWN;
            if (!files.get(k).isDone()) {
                heap[size++] = k;       // in path order: a heap
            }
        }
    }

    @Override
    public List<SourceFile> files() {
        return files;
    }

    @Override
    public SourceFile current() throws IOException {
        if (size == 0) {
            return null;
        }
        int turn = heap[0];
        SourceFile file = files.get(turn);
        if (!file.isOpen()) {
            long share = isLookedInto() ? (HELD_BYTES - held) / SHARE : PEEK_BYTES;
            file.open((int) Math.max(PEEK_BYTES, Math.min(LineBlocks.BLOCK_BYTES, share)));
            count(turn);
        }
        return file;
    }

    /** Whether the current file may send; if not, only its first packet with an event time is looked for. */
    private boolean isLookedInto() {
        return size == 1 || head[heap[0]] != UNKNOWN;
    }

    @Override
    public long limit() {
        if (size <= 1) {
            return Long.MAX_VALUE;
        }
        if (!isLookedInto()) {
            return UNKNOWN;
        }
        int next = size > 2 && isBefore(heap[2], heap[1]) ? heap[2] : heap[1];
        return heap[0] < next ? head[next] : head[next] - 1;
    }

    @Override
    public void passTurn(long micros) throws IOException {
        int turn = heap[0];
        if (!isLookedInto()) {
            files.get(turn).close();
        }
        count(turn);
        head[turn] = micros;
        sink();
    }

    @Override
    public void atEnd() throws IOException {
        int turn = heap[0];
        files.get(turn).finish();
        count(turn);
        heap[0] = heap[--size];
        sink();
    }

    /** Moves the first of the heap down to its place. */
    private void sink() {
        int file = heap[0];
        int at = 0;
        while (true) {
            int child = 2 * at + 1;
            if (child + 1 < size && isBefore(heap[child + 1], heap[child])) {
                child++;
            }
            if (child >= size || !isBefore(heap[child], file)) {
                break;
            }
            heap[at] = heap[child];
            at = child;
        }
        heap[at] = file;
    }

    private boolean isBefore(int one, int other) {
        return head[one] < head[other] || head[one] == head[other] && one < other;
    }

    private void count(int file) {
        long now = files.get(file).heldBytes();
        held += now - holds[file];
        holds[file] = now;
    }

    @Override
    public long heldBytes() {
        return held;
    }
}
