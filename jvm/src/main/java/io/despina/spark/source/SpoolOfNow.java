package io.despina.spark.source;

import io.despina.control.protocol.ProgramMessage;
import io.despina.control.protocol.Refusal;
import io.despina.control.spool.SpoolClient;
import io.despina.spool.Chunk;
import io.despina.spool.Spool;
import io.despina.spool.SpoolAccess;
import io.despina.spool.SpoolDirection;
import io.despina.spool.SpoolException;
import io.despina.spool.SpoolState;
import io.despina.spool.Spools;
import io.despina.wire.Wire;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * The spool of an instance of a sink, wherever its job has it: in this process, or in a resource of the attempt of now. A job
 * that keeps its state goes on when that resource is lost, and its rows keep their numbers. One thread at a time.
 */
final class SpoolOfNow implements SpoolDirection, SpoolAccess {
    /** How long an attempt may answer no more before its job has seen that it is lost. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(15);
    private static final long PAUSE_MILLIS = 50;

    /** Knows whether the job can go on. */
    interface FailureCheck {
        /** @throws IllegalStateException if the job has failed */
        void refuseFailed();
    }

    private interface Question<T> {
        T ask(Spool here, SpoolClient there) throws IOException, InterruptedException;
    }

    private final SinkRows of;
    private final Wire wire;
    private final FailureCheck owner;
    private SpoolPlace place;
    /** Of a resource elsewhere; null before it is asked, or after it was lost. */
    private SpoolClient client;
    /** Of a spool in this process, which {@link #access} reads; null before. */
    private Spool here;
    /** The job runs in this process. */
    private boolean isHere;
    private SpoolAccess access;

    /** @param wire knows the secret of the job */
    SpoolOfNow(SinkRows of, SpoolPlace place, Wire wire, FailureCheck owner) {
        this.of = of;
        this.place = place;
        this.wire = wire;
        this.owner = owner;
    }

    SpoolPlace place() {
        return place;
    }

    private <T> T ask(Question<T> question) throws IOException, InterruptedException {
        long deadline = 0;
        while (true) {
            Spool found = Spools.find(of.spool(place.instance()));
            try {
                isHere |= found != null;
                if (isHere && found == null) {
                    throw new SpoolException("the rows of `" + of.sink() + "` are gone: the job has been stopped");
                }
                return isHere ? question.ask(found, null) : question.ask(null, there());
            } catch (IOException lost) {
                leave();
                owner.refuseFailed();
                if (isHere) {
                    Spool next = Spools.find(of.spool(place.instance()));
                    if (next == null || next == found) {
                        throw lost;
                    }
                    continue;       // the next attempt has put its own there
                }
                long now = System.nanoTime();
                deadline = deadline == 0 ? now + PATIENCE_NANOS : deadline;
                if (!isElsewhere(lost)) {
                    if (lost instanceof SpoolException || now - deadline > 0) {
                        throw lost;
                    }
                    Thread.sleep(PAUSE_MILLIS);
                }
            }
        }
    }

    private SpoolAccess reader(Spool found) throws IOException {
        if (found != here) {
            leave();
            here = found;
            access = found.access();
        }
        return access;
    }

    private SpoolClient there() throws IOException {
        if (client == null) {
            client = new SpoolClient(wire, place.host(), place.port(), of.spool(place.instance()));
        }
        return client;
    }

    /**
     * Asks the job.
     *
     * @return whether another attempt has the rows
     * @throws IOException {@code lost} itself if that says why there will be none
     */
    private boolean isElsewhere(IOException lost) throws IOException, InterruptedException {
        ProgramMessage.Located found;
        try {
            found = of.locate(wire);
        } catch (Refusal ended) {
            owner.refuseFailed();
            throw lost instanceof SpoolException ? lost
                    : new IOException("job " + of.job() + " has ended, or is not reached any more: " + ended.getMessage());
        }
        if (!found.generation().equals(of.generation())) {
            throw new IOException("job " + of.job() + " has begun anew, and these rows are gone");
        }
        SpoolPlace now = SpoolPlace.of(found, place.instance());
        boolean moved = now.attempt() > place.attempt();
        place = now;
        return moved;
    }

    @Override
    public SpoolState state() throws IOException, InterruptedException {
        return ask((in, at) -> in != null ? in.state() : at.state());
    }

    @Override
    public Chunk read(long row, long millis) throws IOException, InterruptedException {
        return ask((in, at) -> in != null ? reader(in).read(row, millis) : at.read(row, millis));
    }

    @Override
    public long rowBehind(long row, long bytes) throws IOException, InterruptedException {
        return ask((in, at) -> in != null ? in.rowBehind(row, bytes) : at.rowBehind(row, bytes));
    }

    @Override
    public void cut(long row) throws IOException, InterruptedException {
        ask((in, at) -> {
            (in != null ? in : at).cut(row);
            return null;
        });
    }

    /** Nobody is waited for. */
    @Override
    public void fail(String why) throws IOException, InterruptedException {
        Spool found = Spools.find(of.spool(place.instance()));
        if (found != null || !isHere) {
            (found != null ? found : there()).fail(why);
        }
    }

    /** Nobody is waited for. */
    @Override
    public void release() throws IOException, InterruptedException {
        Spool found = Spools.find(of.spool(place.instance()));
        if (found != null || !isHere) {
            (found != null ? found : there()).release();
        }
    }

    private void leave() throws IOException {
        if (client != null) {
            client.close();
            client = null;
        }
        if (access != null) {
            access.close();
            access = null;
            here = null;
        }
    }

    @Override
    public void close() throws IOException {
        leave();
    }
}
