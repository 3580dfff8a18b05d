package io.despina.control.visit;

import io.despina.connect.LostException;
import io.despina.connect.RefusedException;
import io.despina.control.protocol.Conversation;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.MessageTypes;
import io.despina.control.protocol.ProgramMessage;
import io.despina.control.protocol.Refusal;
import io.despina.control.protocol.StagedPart;
import io.despina.control.staging.StageClient;
import io.despina.control.staging.StagePlace;
import io.despina.operator.HintedException;
import io.despina.operator.OperatorContext;
import io.despina.operator.program.JobPlace;
import io.despina.operator.program.JobTarget;
import io.despina.wire.Wire;
import java.io.IOException;
import java.util.List;

/** Gives rows to a {@code spark_source} of another job, as a driver of Spark's and its one task do together. */
public final class JobInputVisit implements JobTarget {
    /** Of the rows of a connection, which nobody else has. */
    private static final long TASK = 0;
    /** How long the other job may take to have an epoch in one of its own. */
    private static final long COMMIT_MILLIS = 60_000;

    private final JobPlace place;
    private OperatorContext context;
    private OtherJob job;
    private Wire wire;
    private Conversation coordinator;
    private ProgramMessage.Located found;
    /** Null unless the job is there. */
    private StageClient client;
    private int instance;
    private RowCopy copy;
    /** Rows of the epoch. */
    private long staged;
    /** Why the last connection was lost; null if it was not, or that has been told. */
    private IOException lost;

    public JobInputVisit(JobPlace place) {
        this.place = place;
    }

    @Override
    public void open(OperatorContext opened) {
        context = opened;
        job = new OtherJob(place, context);
    }

    @Override
    public void await() throws IOException, InterruptedException {
        while (client == null) {
            if (lost != null) {
                IOException why = lost;
                lost = null;
                job.lost(why);
            }
            try {
                connect();
            } catch (HintedException forGood) {
                leave();
                throw forGood;
            } catch (IOException why) {
                lost(why);
            }
        }
    }

    private void connect() throws IOException, InterruptedException {
        JobAddress address = job.address();
        wire = job.wire(address);
        try {
            coordinator = address.connect(wire);
        } catch (Refusal why) {
            throw OtherJob.told(why);
        }
        found = job.locate(() -> address.locate(coordinator, ProgramMessage.Located.IN, place.operator()));
        copy = RowCopy.of(context.input(0), JobRowReader.schema(found), "the rows for `" + found.operator() + "` of job "
                + job.job());
        instance = context.instance() % found.instances().size();
        client = new StageClient(wire, found.host(instance), found.port(instance),
                new StagePlace(found.attempt(), found.operator(), instance));
    }

    private LostException lost(IOException why) {
        leave();
        lost = why;
        return why instanceof LostException already ? already : new LostException(why.getMessage(), why);
    }

    @Override
    public void stage(long epoch, byte[] packets, int rows) throws IOException, InterruptedException {
        try {
            client.stage(found.generation(), epoch, TASK, copy.copy(packets, 0, packets.length, 0), rows);
        } catch (IOException why) {
            throw lost(why);
        }
        staged += rows;
    }

    @Override
    public void commit(String query, long epoch) throws IOException, InterruptedException {
        List<StagedPart> parts = staged == 0 ? List.of() : List.of(new StagedPart(instance, TASK, staged));
        staged = 0;
        long last = decide(new ProgramMessage.Decide(query, epoch, true, true, parts)).last();
        if (last > epoch) {
            throw RefusedException.olderState(query + " of `" + context.operatorId() + "`", epoch, "job " + job.job()
                    + " has had epoch " + last);
        }
    }

    /** @throws LostException nobody knows whether it is decided: the connection is lost, or the job ends or begins again */
    private ProgramMessage.Decided decide(ProgramMessage.Decide what) throws IOException, InterruptedException {
        Message answer;
        try {
            answer = MessageTypes.decode(coordinator.ask(what.encode(), COMMIT_MILLIS));
        } catch (IOException why) {
            throw lost(why);
        }
        if (answer instanceof Message.Refused no) {
            throw lost(new LostException(no.message(), null));
        }
        job.moved();
        return (ProgramMessage.Decided) answer;
    }

    @Override
    public void append(byte[] packets, int rows) throws IOException, InterruptedException {
        while (true) {
            await();
            try {
                client.append(copy.copy(packets, 0, packets.length, 0), rows);
                job.moved();
                return;
            } catch (IOException why) {
                lost(why);
            }
        }
    }

    @Override
    public void end() throws IOException, InterruptedException {
        String who = context.operatorId() + "/" + context.instance();
        for (boolean told = false; !told;) {
            await();
            try {
                decide(ProgramMessage.Decide.end(who, context.parallelism()));
                told = true;
            } catch (LostException why) {
                continue;       // its next attempt may not know it
            }
        }
    }

    private void leave() {
        staged = 0;
        if (client != null) {
            client.close();
            client = null;
        }
        if (coordinator != null) {
            coordinator.close();
            coordinator = null;
        }
        if (wire != null) {
            wire.close();
            wire = null;
        }
    }

    @Override
    public void close() {
        leave();
    }
}
