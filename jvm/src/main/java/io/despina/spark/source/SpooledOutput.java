package io.despina.spark.source;

import io.despina.control.protocol.ProgramMessage;
import io.despina.control.protocol.Refusal;
import io.despina.control.protocol.Spooling;
import io.despina.control.visit.JobAddress;
import io.despina.control.visit.RequestWire;
import io.despina.spark.job.GivenOptions;
import io.despina.spark.job.OwnJob;
import io.despina.spool.SpoolDirection;
import io.despina.spool.SpoolState;
import io.despina.wire.Wire;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The rows of a sink that wait for Spark, as the driver directs it: of a job of its own, or of one that runs. They stay until
 * they are {@link #cut}. A job of its own lasts until this is closed, since its resources have the rows.
 */
final class SpooledOutput implements AutoCloseable {

    /** What the rows are read for. */
    enum Reading {
        /** All of them, perhaps again. */
        BATCH,
        /** To their end, once. */
        AVAILABLE,
        STREAM
    }

    private final SourceOptions options;
    /** Null for a job that runs elsewhere. */
    private final OwnJob own;
    private final JobAddress address;
    private final Wire wire;
    private final List<SpoolOfNow> spools = new ArrayList<>();
    private SinkRows rows;
    /** Of rows that have ended: their job may end when they have been cut. Null before. */
    private List<SpoolState> last;
    private boolean closed;

    private SpooledOutput(SourceOptions options, OwnJob own, JobAddress address) throws Refusal, IOException {
        this.options = options;
        this.own = own;
        this.address = address;
        wire = RequestWire.open(address.job(), address.known(), address.tls());
    }

    /**
     * Starts the job or finds it, and waits until it runs.
     *
     * @throws IllegalArgumentException if the graph is refused, or the job is not there
     * @throws IllegalStateException    if the job fails
     */
    static SpooledOutput open(SourceOptions options, Reading reading) {
        OwnJob own = null;
        SpooledOutput output = null;
        boolean open = false;
        try {
            own = options.graph() == null ? null : OwnJob.start(options.graph(), spooling(options, reading));
            output = new SpooledOutput(options, own, own == null ? options.job() : own.address());
            output.locate();
            open = true;
            return output;
        } catch (Refusal e) {
            throw GivenOptions.refused(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        } finally {
            if (!open && output != null) {
                output.close();
            } else if (!open && own != null) {
                own.close();
            }
        }
    }

    private static Spooling spooling(SourceOptions options, Reading reading) {
        return options.spooling(UUID.randomUUID().toString(), reading != Reading.STREAM, reading == Reading.BATCH);
    }

    private void locate() throws Refusal, IOException, InterruptedException {
        ProgramMessage.Located found;
        try {
            found = address.locate(wire, ProgramMessage.Located.OUT, options.output());
        } catch (Refusal why) {
            refuseFailed();
            throw why;
        }
        rows = SinkRows.of(address, options.output(), found.generation());
        for (int k = 0; k < found.instances().size(); k++) {
            spools.add(new SpoolOfNow(rows, SpoolPlace.of(found, k), wire, this::refuseFailed));
        }
        if (own != null) {
            own.onFailure(this::fail);
        }
    }

    /** Tasks learn why nothing comes any more. */
    private synchronized void fail(String why) {
        try {
            for (SpoolDirection spool : closed ? List.<SpoolDirection>of() : spools) {
                spool.fail(why);
            }
        } catch (IOException gone) {
            System.getLogger(SpooledOutput.class.getName()).log(System.Logger.Level.DEBUG, "its resource has gone too", gone);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Another one is of other rows. */
    String generation() {
        return rows.generation();
    }

    synchronized boolean isClosed() {
        return closed;
    }

    int instances() {
        return spools.size();
    }

    SpoolPartition partition(int instance, long from, long to) {
        return new SpoolPartition(rows, "`" + options.output() + "` (instance " + instance + ")", spools.get(instance).place(),
                from, to);
    }

    /** @throws IllegalStateException if the job has failed */
    synchronized List<SpoolState> states() {
        if (last != null) {
            return last;
        }
        refuseFailed();
        List<SpoolState> states = new ArrayList<>();
        for (int k = 0; k < spools.size(); k++) {
            states.add(ask(spools.get(k)::state));
        }
        if (states.stream().allMatch(SpoolState::ended)) {
            last = states;
        }
        return states;
    }

    synchronized long rowBehind(int instance, long row, long bytes) {
        return ask(() -> spools.get(instance).rowBehind(row, bytes));
    }

    /** Rows before these are not needed any more. */
    synchronized void cut(long[] rows) {
        for (int k = 0; k < rows.length; k++) {
            int instance = k;
            SpoolState ended = last == null ? null : last.get(k);
            if (ended != null && ended.first() >= rows[k]) {
                continue;       // their job may have ended with the cut before
            }
            ask(() -> {
                spools.get(instance).cut(rows[instance]);
                return null;
            });
            if (ended != null) {
                last.set(k, new SpoolState(Math.min(rows[k], ended.rows()), ended.rows(), ended.bytes(), true));
            }
        }
    }

    private void refuseFailed() {
        if (own != null) {
            own.refuseFailed();
        }
    }

    private interface Question<T> {
        T ask() throws IOException, InterruptedException;
    }

    private <T> T ask(Question<T> question) {
        try {
            return question.ask();
        } catch (IOException e) {
            refuseFailed();
            throw own != null ? new UncheckedIOException(e)
                    : new IllegalStateException("the rows of `" + options.output() + "` cannot be read: job " + address.job()
                            + " has ended, or is not reached any more: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** As Spark's streams expect it of a source when they are stopped. */
    private static RuntimeException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new UncheckedIOException((IOException) new InterruptedIOException("stopped").initCause(e));
    }

    /** Stops a job of its own, and gives its rows back to the disks. Rows of another job stay. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        boolean wasInterrupted = Thread.interrupted();
        for (int k = 0; k < spools.size(); k++) {
            leave(spools.get(k));
        }
        if (own != null) {
            own.close();
        }
        wire.close();
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void leave(SpoolOfNow spool) {
        try (spool) {
            if (own != null) {
                spool.release();
            }
        } catch (IOException | InterruptedException gone) {
            System.getLogger(SpooledOutput.class.getName()).log(System.Logger.Level.DEBUG, "its resource has gone", gone);
        }
    }
}
