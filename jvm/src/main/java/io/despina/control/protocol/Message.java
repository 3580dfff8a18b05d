package io.despina.control.protocol;

import static java.util.Map.entry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.link.Attempt;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * The messages between coordinator and resources, as JSON with a field {@code type}. The id and the number of the attempt
 * identify a job.
 */
public sealed interface Message {
    /** The field with the kind of message. */
    String TYPE = "type";

    /** A message about one attempt of a job. A message about another attempt is refused. */
    sealed interface OfJob extends Message {
        Attempt attempt();
    }

    /**
     * A resource's first message.
     *
     * @param token       the token that a child was started with; empty for others
     * @param listen      host of its data port
     * @param memoryBytes of segments, queues and state
     * @param cores       the number of worker threads
     */
    record Hello(String name, String token, long pid, String version, String listen, int dataPort,
            long memoryBytes, int cores) implements Message {
        /** The version of this build, from the jar's manifest. Both sides must have the same. */
        public static final String VERSION = Optional.ofNullable(Message.class.getPackage().getImplementationVersion())
                .orElse("dev");
    }

    /** From both sides, every second; silence for five ends the connection. */
    record Heartbeat() implements Message {
        /** Silence after which a resource counts as lost, and a resource gives up its coordinator. */
        public static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(5);
        /** Encoded in advance, because an idle resource sends little else. */
        private static final byte[] ENCODED = "{\"type\":\"heartbeat\"}".getBytes(StandardCharsets.UTF_8);

        @Override
        public byte[] encode() {
            return ENCODED;
        }
    }

    /**
     * To a resource: plan this, open its part of the channels, make its tasks, and wait for {@link Start}.
     *
     * @param directory   for relative paths
     * @param peers       {@code host:port} of every resource's data port
     * @param planDigest  of the coordinator's plan and assignment; a different digest in the resource is an error
     * @param usualPacket {@code max_packet_bytes} if the graph sets none, the same for all resources
     * @param answers     of the coordinator's expression compiler: resolved types, no code
     * @param inputs      sources that get their packets from Python
     * @param pipes       the pipes for path {@code -} of a source and of a sink
     * @param jars        of the user, if there is no deployment to name them
     * @param instantMicros the value of {@code now()} in every resource, since 1970-01-01T00:00Z
     * @param spooling    null unless a program reads a sink's rows from disk
     */
    record Deploy(Attempt attempt, String graphText, String fileName, Map<String, String> parameters,
            String deploymentText, String directory, List<String> inputs, Map<String, String> pipes,
            List<String> jars, Map<String, String> peers, String planDigest, int usualPacket, byte[] answers, long instantMicros,
            Spooling spooling)
            implements OfJob {

        public Deploy with(Map<String, String> allPeers, int usual) {
            return new Deploy(attempt, graphText, fileName, parameters, deploymentText, directory, inputs, pipes, jars,
                    allPeers, planDigest, usual, answers, instantMicros, spooling);
        }
    }

    /** From a resource: deployed. */
    record Ready(Attempt attempt) implements OfJob {
    }

    record Start(Attempt attempt) implements OfJob {
    }

    /**
     * @param mode        {@code drain}, {@code flush} or {@code now}, after which sinks commit; or {@link #ABORT}, after which
     *                    they do not
     * @param drainMillis the time for packets in flight
     */
    record Stop(Attempt attempt, String mode, long drainMillis) implements OfJob {
        public static final String NOW = "now";
        public static final String ABORT = "abort";
    }

    record SetSchedule(Attempt attempt, String operator, JsonNode schedule) implements OfJob {
    }

    /** To a resource: the warm-up is over, count from here. */
    record Measure(Attempt attempt) implements OfJob {
    }

    /** To a resource: report the counters. */
    record Count(Attempt attempt) implements OfJob {
    }

    /** From a resource, on request and at the end. */
    record Counters(Attempt attempt, Measurement counters) implements OfJob {
    }

    /**
     * From a resource: rows that reached a collect sink.
     *
     * @param packets whole packets, one after the other; an empty array announces the sink
     */
    record Rows(Attempt attempt, String sink, byte[] packets) implements OfJob {
    }

    /** From a resource: lines that a console sink printed. */
    record Lines(Attempt attempt, String sink, List<String> lines) implements OfJob {
    }

    /** To a resource: Python has taken rows or lines of so many bytes (characters); as many may follow. */
    record Taken(Attempt attempt, String sink, long bytes) implements OfJob {
    }

    /**
     * To a resource: rows from Python for a source.
     *
     * @param packets whole packets, one after the other
     * @param last    nothing follows
     */
    record Supply(Attempt attempt, String operator, byte[] packets, boolean last) implements OfJob {
    }

    /** From a resource: its source has taken packets of so many bytes; as many may follow. */
    record Supplied(Attempt attempt, String operator, long bytes) implements OfJob {
    }

    /**
     * From a resource: the job's tasks there have processed their input, their output has arrived, and sinks have prepared. They
     * wait for {@link Commit}, or for a {@link Stop} with {@link Stop#ABORT}.
     *
     * @param cut         whether the drain time was over, or the job had to end at once
     * @param undelivered packets sent from here and not processed here, less those processed here and sent by others; the sum
     *                    over all resources is the number of dropped packets
     */
    record Settled(Attempt attempt, boolean cut, long undelivered) implements OfJob {
    }

    /** To a resource, when all have settled: sinks commit. */
    record Commit(Attempt attempt) implements OfJob {
    }

    /** From a resource: its sinks have committed. */
    record Committed(Attempt attempt) implements OfJob {
    }

    /**
     * To a resource, when all have committed: its tasks end.
     *
     * @param success whether nothing failed or was cut short; sinks may then mark their output as complete
     */
    record Conclude(Attempt attempt, boolean success) implements OfJob {
    }

    /**
     * From a resource: nothing of the job is left there. Its last counters precede this message.
     *
     * @param leftBehind files of sinks with uncommitted rows
     */
    record Finished(Attempt attempt, List<String> leftBehind) implements OfJob {
    }

    /**
     * From a resource: a task failed, or the job could not be deployed there. {@link Finished} follows when the tasks are cleaned
     * up.
     *
     * @param rule     {@link Failed#CHANNEL} if a channel broke, whose cause is mostly elsewhere
     * @param operator the failed operator, or null
     */
    record Failed(Attempt attempt, String rule, String message, String hint, String operator) implements OfJob {
        public static final String CHANNEL = "channel";
    }

    /**
     * To a resource: what becomes of the rows that a program has staged there for a source.
     *
     * @param run   of the program's query
     * @param what  one of the words below
     * @param epoch that is meant, and with {@link #ABORT} those before it; 0 where none is
     * @param parts all that is committed, in its order; empty otherwise
     */
    record Fate(Attempt attempt, String operator, String run, String what, long epoch, List<StagedPart> parts)
            implements OfJob {
        /** Rows of that run are taken from now on. */
        public static final String OPEN = "open";
        public static final String COMMIT = "commit";
        public static final String ABORT = "abort";
        /** Its query has ended, or its driver is gone: what it has not committed is thrown away. */
        public static final String CLOSE = "close";
    }

    /** To a resource: the job has ended everywhere; release its remains. */
    record Forget(Attempt attempt) implements OfJob {
    }

    /** To a resource whose {@link Hello} is refused: why. The connection ends. */
    record Refused(String rule, String message, String hint) implements Message {
    }

    /**
     * From a program that reads a job's rows or gives it some, to the job's coordinator: where are they? It is answered when the
     * job runs, with {@link Located} or {@link Refused}.
     *
     * @param way      {@link Located#IN} or {@link Located#OUT}
     * @param operator empty for the only one of that way
     */
    record Locate(String job, String way, String operator) implements Message {
    }

    /**
     * Where the rows of an operator's instances are.
     *
     * @param instances  {@code host:port} of the resource of each, which takes the coordinator's secret
     * @param generation of the spools whose rows are read; of rows that are given, the run under which they are staged, which
     *                   lasts as long as the connection
     * @param schema     as Spark DDL
     * @param order      the event-time column and those that break ties, by which each instance's rows should be ordered that are
     *                   given; empty for none
     */
    record Located(Attempt attempt, String way, String operator, List<String> instances, String generation, String schema,
            List<String> order) implements Message {
        /** Rows are given to a source. */
        public static final String IN = "in";
        /** Rows of a sink are read. */
        public static final String OUT = "out";
    }

    /**
     * From a program, over the connection that has asked for {@link Located#IN}: all rows of an epoch are staged, and are to be
     * seen or thrown away. Answered with {@link Decided} or {@link Refused}.
     *
     * @param query the same for all runs that go on with its epochs; empty for one that never comes again
     * @param keeps whether the rows are to be seen
     * @param skips whether epochs of the query before this one may be missing in this job
     * @param parts in their order
     */
    record Decide(String query, long epoch, boolean keeps, boolean skips, List<StagedPart> parts) implements Message {
    }

    /** @param repeated whether the epoch was committed before, so that these rows have been thrown away */
    record Decided(boolean repeated) implements Message {
    }

    /**
     * To a resource: end.
     *
     * @param lost what happened to the coordinator; null for an intended end
     */
    record Bye(String lost) implements Message {
    }

    default byte[] encode() {
        ObjectNode object = RecordJson.object((Record) this);
        return Json.bytes(object.put(TYPE, Types.NAMES.get(getClass())));
    }

    /** @throws IllegalArgumentException if it is none of these messages */
    static Message decode(byte[] json) {
        if (Arrays.equals(json, Heartbeat.ENCODED)) {
            return new Heartbeat();
        }
        try {
            JsonNode node = Json.tree(json);
            Class<? extends Message> type = Types.BY_NAME.get(node.path(TYPE).asText());
            if (type == null) {
                throw new IllegalArgumentException("malformed control message: of no known type");
            }
            return RecordJson.read(node, type);
        } catch (IOException e) {
            throw new IllegalArgumentException("malformed control message: " + e.getMessage(), e);
        }
    }

    /** The values of the field {@code type}. */
    final class Types {
        private static final Map<String, Class<? extends Message>> BY_NAME = Map.ofEntries(
                entry("hello", Hello.class), entry("heartbeat", Heartbeat.class), entry("deploy", Deploy.class),
                entry("ready", Ready.class), entry("start", Start.class), entry("stop", Stop.class),
                entry("set_schedule", SetSchedule.class), entry("measure", Measure.class), entry("count", Count.class),
                entry("counters", Counters.class),
                entry("rows", Rows.class), entry("lines", Lines.class), entry("taken", Taken.class),
                entry("supply", Supply.class), entry("supplied", Supplied.class),
                entry("settled", Settled.class), entry("commit", Commit.class), entry("committed", Committed.class),
                entry("conclude", Conclude.class), entry("finished", Finished.class), entry("failed", Failed.class),
                entry("forget", Forget.class), entry("locate", Locate.class), entry("located", Located.class),
                entry("fate", Fate.class), entry("decide", Decide.class), entry("decided", Decided.class),
                entry("refused", Refused.class), entry("bye", Bye.class));
        private static final Map<Class<? extends Message>, String> NAMES = BY_NAME.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getValue, Map.Entry::getKey));

        private Types() {
        }
    }
}
