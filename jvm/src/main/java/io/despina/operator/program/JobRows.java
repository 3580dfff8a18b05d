package io.despina.operator.program;

import io.despina.log.KeptPlaces;
import io.despina.operator.OperatorContext;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;

/**
 * The rows of an instance of another job's sink, which keeps them until they are cut. A reader brings them by the numbers that
 * they have there; the place of the source says whose rows it had, so that it goes on there. In a job that keeps its state they
 * are cut when no epoch from which it may go on needs them; in another one, as soon as they are taken.
 */
public final class JobRows implements InputRows {

    /** Brings the rows, by a thread of its own. */
    public interface RowReader {
        /**
         * @param generation of the rows of which some are here already; null if there are none
         * @param row        of these, the first that is wanted
         */
        void start(OperatorContext context, JobRows to, String generation, long row);

        /** Rows of a generation before that one are not needed any more. */
        void cut(String generation, long row);

        /** What was cut is told before. May wait a moment for that. */
        void close();
    }

    /** Names of what the place has: whose rows they are, and how many the source had sent before the first of these. */
    private static final String GENERATION = "generation";
    private static final String BEFORE = "before";
    private static final long MOST_BYTES = 2 << 20;
    /** Of what waits here, and of what the reader has at hand. */
    private static final long MEMORY_BYTES = 2 * MOST_BYTES;

    /** @param before what the source had sent when row 0 of them would have come */
    private record Run(String generation, long before) {
    }

    /** @param end the number of the row behind it, of all that the source sends */
    private record Piece(byte[] packets, long end, Run of) {
    }

    private final RowReader reader;
    private OperatorContext context;
    private final KeptPlaces places = new KeptPlaces();

    // of the source's thread
    /** Of the rows that were taken last; null before. */
    private Run run;
    /** The number behind these. */
    private long taken;
    /** The first epoch that has all rows; 0 before. */
    private long last;

    // guarded by this
    private final Deque<Piece> waiting = new ArrayDeque<>();
    private long waitingBytes;
    /** Of the rows that came last. */
    private Run coming;
    private long next;
    private boolean ended;
    private IOException failure;

    public JobRows(RowReader reader) {
        this.reader = reader;
    }

    @Override
    public long open(OperatorContext opened, long sent, Map<String, String> origin) {
        context = opened;
        context.stateBytes(MEMORY_BYTES);
        run = origin.containsKey(GENERATION) ? new Run(origin.get(GENERATION), Long.parseLong(origin.get(BEFORE))) : null;
        taken = sent;
        synchronized (this) {
            coming = run;
            next = sent;
        }
        reader.start(context, this, run == null ? null : run.generation, run == null ? 0 : sent - run.before);
        return sent;
    }

    @Override
    public Map<String, String> origin() {
        return run == null ? Map.of() : Map.of(GENERATION, run.generation, BEFORE, Long.toString(run.before));
    }

    /** By the reader: waits until there is room, or so long. @return whether there is */
    public synchronized boolean awaitRoom(long millis) throws InterruptedException {
        if (waitingBytes >= MOST_BYTES) {
            wait(millis);
        }
        return waitingBytes < MOST_BYTES;
    }

    /**
     * By the reader: the next rows.
     *
     * @param first the number of the first one in its generation
     */
    public void put(String generation, long first, byte[] packets, int rows) {
        synchronized (this) {
            if (coming == null || !coming.generation.equals(generation)) {
                coming = new Run(generation, next - first);
            }
            next += rows;
            waiting.add(new Piece(packets, next, coming));
            waitingBytes += packets.length;
        }
        context.wake();
    }

    /** By the reader: nothing follows. */
    public void end() {
        synchronized (this) {
            ended = true;
        }
        context.wake();
    }

    /** By the reader: it cannot go on. */
    public void fail(IOException why) {
        synchronized (this) {
            failure = why;
        }
        context.wake();
    }

    @Override
    public byte[] next() throws IOException {
        Piece piece;
        synchronized (this) {
            if (failure != null) {
                throw failure;
            }
            piece = waiting.poll();
            if (piece == null) {
                return null;
            }
            waitingBytes -= piece.packets.length;
            notifyAll();
        }
        run = piece.of;
        taken = piece.end;
        if (!context.takesSnapshots()) {
            cut(taken);
        }
        return piece.packets;
    }

    @Override
    public synchronized boolean hasEnded() {
        return ended && waiting.isEmpty();
    }

    @Override
    public void barrier(long epoch, long sent) {
        places.barrier(epoch, sent);
        if (last == 0 && sent == taken && hasEnded()) {
            last = epoch;
        }
    }

    @Override
    public void acknowledge(long epoch) {
        long kept = places.complete(epoch);
        cut(last > 0 && epoch >= last ? taken : kept);
    }

    private void cut(long sent) {
        if (run != null && sent > run.before) {
            reader.cut(run.generation, sent - run.before);
        }
    }

    @Override
    public void close() {
        reader.close();
    }
}
