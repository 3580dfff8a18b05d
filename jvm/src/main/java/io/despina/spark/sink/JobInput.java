package io.despina.spark.sink;

import io.despina.control.protocol.Conversation;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.MessageTypes;
import io.despina.control.protocol.ProgramMessage;
import io.despina.control.protocol.Refusal;
import io.despina.control.protocol.StagedPart;
import io.despina.control.visit.JobAddress;
import io.despina.control.visit.JobRowReader;
import io.despina.control.visit.RequestWire;
import io.despina.packet.Schema;
import io.despina.spark.job.GivenOptions;
import io.despina.spark.job.JobRequest;
import io.despina.spark.job.OwnJob;
import io.despina.wire.Wire;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/**
 * A source of a running job, as a driver of Spark's writes to it. What its tasks have staged and it has not committed is thrown
 * away when this is closed. One thread at a time.
 */
final class JobInput implements AutoCloseable {
    private final SinkOptions options;
    /** Null for a job that runs elsewhere. */
    private final OwnJob own;
    private final JobAddress address;
    private final String secret;
    private final Wire wire;
    private Conversation coordinator;
    private ProgramMessage.Located found;

    private JobInput(SinkOptions options, OwnJob own) throws Refusal, IOException {
        this.options = options;
        this.own = own;
        address = own == null ? options.job() : own.address();
        secret = address.known();
        wire = RequestWire.open(address.job(), secret, address.tls());
    }

    /** @throws IllegalArgumentException if the job is not there, or has no such source */
    static JobInput open(SinkOptions options) {
        OwnJob own = null;
        JobInput input = null;
        boolean open = false;
        try {
            own = options.graph() == null ? null : OwnJob.start(options.graph(), null);
            input = new JobInput(options, own);
            input.locate();
            open = true;
            return input;
        } catch (Refusal e) {
            throw GivenOptions.refused(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("stopped", e);
        } finally {
            if (!open && input != null) {
                input.close();
            } else if (!open && own != null) {
                own.close();
            }
        }
    }

    private void locate() throws Refusal, InterruptedException {
        coordinator = address.connect(wire);
        found = address.locate(coordinator, ProgramMessage.Located.IN, options.input());
    }

    /** Whether its job is its query's own, and of that graph; null for a job that runs elsewhere. */
    boolean isOf(JobRequest request) {
        return own != null && request != null && options.graph().graph().equals(request.graph());
    }

    /** The columns of the source. */
    Schema schema() {
        return JobRowReader.schema(found);
    }

    /** The event-time column and those that break ties; empty if the source has no event time. */
    List<String> order() {
        return found.order();
    }

    int instances() {
        return found.instances().size();
    }

    /** Where tasks stage rows. */
    StageTarget target() {
        return new StageTarget(address.host() + ":" + address.port(), found.instances(), found.attempt().job(),
                found.attempt().number(), found.operator(), found.generation(), secret, address.tls());
    }

    /**
     * Makes an epoch's rows seen, once, or throws them away.
     *
     * @param query the same for all runs that go on with its epochs; empty for one that never comes again
     * @throws IllegalStateException if the job does not take them
     */
    void decide(String query, long epoch, boolean keeps, List<StagedPart> parts) {
        try {
            byte[] answer = coordinator.ask(new ProgramMessage.Decide(query, epoch, keeps, options.skips(), parts).encode(), 0);
            if (MessageTypes.decode(answer) instanceof Message.Refused no) {
                throw new IllegalStateException(new Refusal(no.rule(), no.message(), no.hint()).render());
            }
        } catch (IOException e) {
            throw new IllegalStateException("epoch " + epoch + " cannot be committed: job " + address.job()
                    + " has ended, or is not reached any more: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("stopped", e);
        }
    }

    /**
     * The query has ended. A job of its own has then processed what was committed.
     *
     * @throws IllegalStateException if that has failed
     */
    void leave() {
        try {
            if (own != null) {
                own.leave(found.operator());
            }
        } catch (Refusal e) {
            throw GivenOptions.refused(e);
        } finally {
            close();
        }
    }

    /** The same of a batch, after which nothing follows. */
    void finish() {
        try {
            if (own != null) {
                own.finish(found.operator());
            }
        } finally {
            close();
        }
    }

    @Override
    public void close() {
        if (coordinator != null) {
            coordinator.close();
        }
        wire.close();
        if (own != null) {
            own.close();
        }
    }
}
