package io.despina.control.visit;

import io.despina.control.protocol.ProgramMessage;
import io.despina.control.spool.SpoolClient;
import io.despina.descriptor.Ddl;
import io.despina.operator.HintedException;
import io.despina.operator.OperatorContext;
import io.despina.operator.program.JobPlace;
import io.despina.operator.program.JobRows;
import io.despina.packet.Schema;
import io.despina.spool.SpoolId;
import io.despina.spool.SpoolRecords;
import io.despina.spool.SpoolState;
import io.despina.wire.Wire;
import java.io.IOException;

/**
 * Reads the rows that another job keeps for programs, one instance of its sink, and cuts them. While the job is away, it waits
 * until that is back: a job that keeps its state then goes on with the same rows.
 */
public final class JobRowReader extends Thread implements JobRows.RowReader {
    /** How long a cut may wait for rows that are asked for, and these for room. */
    private static final long WAIT_MILLIS = 100;
    private static final int CLOSING_WAITS = 20;

    private final JobPlace place;
    private final Schema wanted;
    private final boolean beginsAnew;
    private JobRows to;
    private OperatorContext context;

    // of this thread
    private OtherJob job;
    /** Of the rows that came last; null before. */
    private String generation;
    /** The number of the next one. */
    private long row;
    private RowCopy copy;

    // guarded by this
    private Wire wire;
    private SpoolClient client;
    private String cutOf = "";
    private long cut;
    /** Rows of {@link #cutOf} before this one are cut. */
    private long done;
    private boolean closed;

    /**
     * @param wanted     columns
     * @param beginsAnew whether it goes on with other rows, where the job has begun anew
     */
    public JobRowReader(JobPlace place, Schema wanted, boolean beginsAnew) {
        super("despina-rows-of-" + (place.operator().isEmpty() ? "job" : place.operator()));
        setDaemon(true);
        this.place = place;
        this.wanted = wanted;
        this.beginsAnew = beginsAnew;
    }

    @Override
    public void start(OperatorContext opened, JobRows rows, String known, long from) {
        context = opened;
        to = rows;
        generation = known;
        row = from;
        job = new OtherJob(place, context);
        start();
    }

    @Override
    public synchronized void cut(String of, long before) {
        if (!of.equals(cutOf)) {
            cutOf = of;
            done = 0;
        }
        cut = before;
        notifyAll();
    }

    @Override
    public void run() {
        try {
            while (!isClosed()) {
                try {
                    visit();
                    return;
                } catch (HintedException forGood) {
                    throw forGood;
                } catch (IOException lost) {
                    leave();
                    if (!isClosed()) {
                        job.lost(lost);
                    }
                }
            }
        } catch (InterruptedException told) {
            // it is closed
        } catch (IOException | RuntimeException | Error why) {      // an Error too must end the job that waits for rows
            to.fail(why instanceof IOException known ? known : new IOException(why.toString(), why));
        } finally {
            leave();
        }
    }

    /** Reads until nothing follows and all is cut, or until it is closed. */
    private void visit() throws IOException, InterruptedException {
        SpoolRecords records = connect();
        job.moved();
        while (!isClosed()) {
            tellCut();
            if (!to.awaitRoom(WAIT_MILLIS)) {
                continue;
            }
            if (records.next(WAIT_MILLIS)) {
                take(records);
            } else if (records.isAtEnd()) {
                to.end();
                while (awaitCut()) {
                    tellCut();
                }
                return;
            }
        }
    }

    private SpoolRecords connect() throws IOException, InterruptedException {
        JobAddress address = job.address();
        Wire opened = job.wire(address);
        synchronized (this) {
            wire = opened;
        }
        ProgramMessage.Located found = job.locate(() -> address.locate(opened, ProgramMessage.Located.OUT, place.operator()));
        String what = "the rows of `" + found.operator() + "` of job " + job.job();
        if (found.instances().size() != context.parallelism()) {
            throw new HintedException(what + " are numbered in " + found.instances().size() + " instances, and this source has "
                    + context.parallelism(), "\"parallelism\": " + found.instances().size() + " for this source", null);
        }
        copy = RowCopy.of(schema(found), wanted, what);
        SpoolClient opening = new SpoolClient(opened, found.host(context.instance()), found.port(context.instance()),
                new SpoolId(found.generation(), context.instance()));
        synchronized (this) {
            client = opening;
        }
        begin(found.generation(), what, opening.state());
        return new SpoolRecords(opening, what, row);
    }

    /** The columns of what was found. */
    public static Schema schema(ProgramMessage.Located found) {
        try {
            return Ddl.parse(found.schema());
        } catch (Ddl.DdlException e) {
            throw new IllegalStateException(found.schema(), e);
        }
    }

    /** Goes on where it was, or begins with the first row that is there. */
    private void begin(String found, String what, SpoolState state) throws HintedException {
        if (found.equals(generation)) {
            if (state.first() > row) {
                throw new HintedException("rows " + row + " to " + (state.first() - 1) + " of " + what + " are gone: another "
                        + "program has taken them, or this job goes on from an epoch before its last three", "one program "
                        + "reads an output: give each a sink of its own", null);
            }
            return;
        }
        if (generation != null && !beginsAnew) {
            throw new HintedException(what + " are others than those of which this job has had " + row + ": it has begun anew",
                    "let it keep its state (--state), or say \"on_restart\": \"begin\" to take the others too", null);
        }
        generation = found;
        row = state.first();
    }

    /** Takes the record at hand, of which the first rows may be here. */
    private void take(SpoolRecords records) {
        int known = (int) (row - records.first());
        byte[] packets = copy.copy(records.bytes(), records.from(), records.to(), known);
        int rows = records.rows() - known;
        to.put(generation, row, packets, rows);
        row += rows;
    }

    private void tellCut() throws IOException, InterruptedException {
        long wantedCut;
        SpoolClient at;
        synchronized (this) {
            wantedCut = cutOf.equals(generation) && cut > done ? cut : 0;
            at = client;
        }
        if (wantedCut > 0) {
            at.cut(wantedCut);
            synchronized (this) {
                done = Math.max(done, wantedCut);
                notifyAll();
            }
        }
    }

    /** All rows are here. @return whether some are not cut, and may still be */
    private synchronized boolean awaitCut() throws InterruptedException {
        boolean isOfThese = cutOf.equals(generation);
        if (isOfThese && done >= row || closed) {
            return false;
        }
        if (!isOfThese || cut <= done) {
            wait();
        }
        return true;
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private void leave() {
        Wire opened;
        SpoolClient left;
        synchronized (this) {
            opened = wire;
            left = client;
            wire = null;
            client = null;
            notifyAll();
        }
        if (left != null) {
            left.close();
        }
        if (opened != null) {
            opened.close();
        }
    }

    /** The last cut ends the other job, so it waits a moment for it. */
    @Override
    public void close() {
        try {
            synchronized (this) {
                for (int k = 0; k < CLOSING_WAITS && cut > done && client != null && isAlive(); k++) {
                    wait(WAIT_MILLIS);
                }
                closed = true;
                notifyAll();
            }
            interrupt();
            join(CLOSING_WAITS * WAIT_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
