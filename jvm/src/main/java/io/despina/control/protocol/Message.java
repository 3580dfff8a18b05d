package io.despina.control.protocol;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.json.RecordJson;
import io.despina.link.Attempt;
import io.despina.python.Interpreter;
import io.despina.runtime.task.FrozenInstance;
import io.despina.snapshot.EpochFile;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The messages between coordinator and resources, as JSON with a field {@code type}. An attempt is told by id and number. */
public interface Message {
    /** The field with the kind of message. */
    String TYPE = "type";

    /** A message about one attempt of a job. A message about another attempt is refused. */
    interface OfJob extends Message {
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

    /**
     * From both sides, every {@link Pulse#EVERY_MILLIS}.
     *
     * @param pauseMillis for how long the sender was held up since its last one
     */
    record Heartbeat(long pauseMillis) implements Message {
        /** Encoded in advance, because an idle resource sends little else. */
        private static final byte[] OF_NO_PAUSE = "{\"type\":\"heartbeat\",\"pauseMillis\":0}".getBytes(StandardCharsets.UTF_8);

        @Override
        public byte[] encode() {
            return pauseMillis == 0 ? OF_NO_PAUSE : Message.super.encode();
        }

        /** Null if it is not the encoded one of no pause. */
        static Heartbeat ofNoPause(byte[] json) {
            return Arrays.equals(json, OF_NO_PAUSE) ? new Heartbeat(0) : null;
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
     * @param cast        null where nobody plays another one's part
     * @param state       null for a job that keeps none
     * @param python      runs the functions of the graph; null if the coordinator knows of none
     * @param secret      of this job, for its channels and its programs; null for the one with which the resource was started
     */
    record Deploy(Attempt attempt, String graphText, String fileName, Map<String, String> parameters,
            String deploymentText, String directory, List<String> inputs, Map<String, String> pipes,
            List<String> jars, Map<String, String> peers, String planDigest, int usualPacket, byte[] answers, long instantMicros,
            Spooling spooling, Cast cast, StatePlace state, Interpreter python, String secret) implements OfJob {

        /** The data ports of the other resources, by name. */
        public Map<String, InetSocketAddress> addresses() {
            Map<String, InetSocketAddress> addresses = new HashMap<>();
            peers.forEach((name, at) -> {
                int colon = at.lastIndexOf(':');
                addresses.put(name, InetSocketAddress.createUnresolved(at.substring(0, colon),
                        Integer.parseInt(at.substring(colon + 1))));
            });
            return addresses;
        }

        public Deploy to(Cast other) {
            return new Deploy(attempt, graphText, fileName, parameters, deploymentText, directory, inputs, pipes, jars,
                    peers, planDigest, usualPacket, answers, instantMicros, spooling, other, state, python, secret);
        }

        /** The same, going on from an epoch of its state. */
        public Deploy from(long epoch) {
            return new Deploy(attempt, graphText, fileName, parameters, deploymentText, directory, inputs, pipes, jars,
                    peers, planDigest, usualPacket, answers, instantMicros, spooling, cast, state.at(epoch), python, secret);
        }

        public Deploy with(Map<String, String> allPeers, int usual) {
            return new Deploy(attempt, graphText, fileName, parameters, deploymentText, directory, inputs, pipes, jars,
                    allPeers, planDigest, usual, answers, instantMicros, spooling, cast, state, python, secret);
        }

        /** Without what belongs in no log. */
        @Override
        public String toString() {
            return "Deploy of " + attempt;
        }
    }

    /**
     * To a spare: plan and compile this, and practise to restore the epoch that it names, so that it takes less time when it is
     * deployed there.
     */
    record Rehearse(Deploy deploy) implements Message {
    }

    /** To a resource: another coordinator has the attempt now, which goes on from that epoch if it does not go on there. */
    record Adopt(Attempt attempt, long from) implements OfJob {
    }

    /**
     * From a resource: the attempt has gone on there without a coordinator. It is told of how its tasks end, as of all that is
     * new, when {@link Start} comes.
     *
     * @param planDigest of what was deployed
     * @param barrier    the last epoch of which a barrier was told; 0 for none
     * @param told       the greatest number of a {@link ControlMessage.Tell}, and of a move; 0 for none
     * @param stop       how it was told to stop; null if it was not
     * @param schedules  that differ from the graph's, by operator, as JSON
     */
    record Adopted(Attempt attempt, String planDigest, long barrier, Numbers told, String stop, Map<String, String> schedules)
            implements OfJob {

        /** @param command of a {@link ControlMessage.Tell} */
        public record Numbers(long command, long move) {
        }
    }

    /** From a resource: deployed. */
    record Ready(Attempt attempt) implements OfJob {
    }

    record Start(Attempt attempt) implements OfJob {
    }

    /**
     * @param mode        {@code drain}, {@code flush} or {@code now}, after which the last epoch is taken; or {@link #ABORT},
     *                    after which none is
     * @param drainMillis the time for packets in flight
     */
    record Stop(Attempt attempt, String mode, long drainMillis) implements OfJob {
        public static final String DRAIN = "drain";
        public static final String FLUSH = "flush";
        public static final String NOW = "now";
        /** Those that a user may choose from. */
        public static final List<String> MODES = List.of(DRAIN, FLUSH, NOW);
        public static final String ABORT = "abort";
    }

    /** @param schedule null for the one that the graph says */
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
     * @param packets whole packets, one after the other; none behind the last
     * @param place   null where rows are not kept
     */
    record Rows(Attempt attempt, String sink, byte[] packets, RowRange place) implements OfJob {
    }

    /**
     * To a resource that keeps rows of an instance of a collect sink: what Python has. First it says which rows are to come.
     *
     * @param row   rows before it are there
     * @param done  those before it are never wanted again
     * @param leaves whether no more are wanted: the next run of the job goes on with them
     */
    record Had(Attempt attempt, String sink, int instance, long row, long done, boolean leaves) implements OfJob {
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
     * @param first   the number of the first one, over all attempts
     * @param rows    how many they are
     * @param packets whole packets, one after the other
     * @param last    nothing follows
     */
    record Supply(Attempt attempt, String operator, long first, int rows, byte[] packets, boolean last) implements OfJob {
    }

    /** From a resource: its source has taken the rows before that number; where it keeps a log, they are in it for ever. */
    record Supplied(Attempt attempt, String operator, long row) implements OfJob {
    }

    /**
     * From a resource: the job's tasks there have processed their input, and their output has arrived. They wait for the last
     * epoch, or for a {@link Stop} with {@link Stop#ABORT}.
     *
     * @param cut         whether the drain time was over, or the job had to end at once
     * @param undelivered packets sent from here and not processed here, less those processed here and sent by others; the sum
     *                    over all resources is the number of dropped packets
     */
    record Settled(Attempt attempt, boolean cut, long undelivered) implements OfJob {
    }

    /**
     * To a resource: an epoch ends here. Sources send its barrier; tasks whose input has ended take part at once. {@code
     * savepoint} is the epoch that is one, this or the next, or 0: known before its barrier can come from another resource.
     */
    record Barrier(Attempt attempt, long epoch, long savepoint) implements OfJob {
    }

    /**
     * From a resource: what its instances keep is on disk, and their sinks have prepared.
     *
     * @param written   null in a job that keeps no state
     * @param instances those that took part
     */
    record Frozen(Attempt attempt, long epoch, EpochFile.Written written, List<FrozenInstance> instances) implements OfJob {
    }

    /** From a resource: its part of the epoch could not be written or prepared. */
    record NotFrozen(Attempt attempt, long epoch, String reason) implements OfJob {
    }

    /** From a resource: for whom an epoch that is dropped, or is to be committed, has waited there, in words. */
    record Behind(Attempt attempt, long epoch, String who) implements OfJob {
    }

    /**
     * To a resource: the epoch is complete and kept. Sinks commit it, and sources acknowledge it.
     *
     * @param isLast whether the job ends with it: then {@link Committed} is told when nobody waits for rows any more
     */
    record Complete(Attempt attempt, long epoch, boolean isLast) implements OfJob {
    }

    /** From a resource: its sinks have committed up to that epoch. @param rowsLeft whether a program has let rows go unread */
    record Committed(Attempt attempt, long epoch, boolean rowsLeft) implements OfJob {
    }

    /** To a resource: the epoch will never be complete. What is prepared waits for the next one. */
    record Drop(Attempt attempt, long epoch) implements OfJob {
    }

    /**
     * To a resource, when all have committed the last epoch: its tasks end.
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
     * @param rule     {@link Failed#CHANNEL} if a channel broke, whose cause is mostly elsewhere; {@link Failed#ROTTEN} if states
     *                 are damaged, which is written down in their folder; {@link Failed#OPENING} if the user's code does not open
     * @param operator the failed operator, or null
     * @param record   digest of the record that it did not come back from, or null
     */
    record Failed(Attempt attempt, String rule, String message, String hint, String operator, String record) implements OfJob {
        public static final String CHANNEL = "channel";
        public static final String ROTTEN = "rotten";
        public static final String OPENING = "opening";
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
        /** Nothing follows what is committed. */
        public static final String END = "end";
    }

    /** To the coordinator of a job that keeps a state: an instance of a source has sent on all that was committed to it. */
    record Drained(Attempt attempt, String operator) implements OfJob {
    }

    /** To a resource: the job has ended everywhere; release its remains. */
    record Forget(Attempt attempt) implements OfJob {
    }

    /** To a resource whose {@link Hello} is refused: why. The connection ends. */
    record Refused(String rule, String message, String hint) implements Message {
    }

    /**
     * To a resource: end.
     *
     * @param lost what happened to the coordinator; null for an intended end
     */
    record Bye(String lost) implements Message {
    }

    /** As {@link MessageBytes} has it. */
    default byte[] encode() {
        ObjectNode object = RecordJson.object((Record) this);
        return MessageBytes.of(object.put(TYPE, MessageName.OF.get(getClass())));
    }
}
