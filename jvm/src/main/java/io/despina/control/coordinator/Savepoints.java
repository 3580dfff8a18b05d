package io.despina.control.coordinator;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.assembly.JobOptions;
import io.despina.control.members.Environment;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.ProgramMessage;
import io.despina.control.protocol.Refusal;
import io.despina.json.Json;
import io.despina.snapshot.Manifest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Begins savepoints of jobs, and says what has become of them. */
final class Savepoints {
    /** As the job's options say. */
    static final String USUAL = "usual";

    private final Environment environment;

    Savepoints(Environment environment) {
        this.environment = environment;
    }

    /**
     * Begins one.
     *
     * @param folder a path, relative to that of the job's relative paths, or an address
     * @param stop   as of {@link ProgramMessage.Direct}
     * @return completes with its manifest, or with a {@link Refusal}
     */
    CompletableFuture<Manifest> begin(Job job, String folder, String stop) throws Refusal {
        if (isPart(job)) {
            throw new Refusal(SavepointCopy.RULE, "Spark runs a part of the graph, and a savepoint would not have the"
                    + " checkpoints of its queries: they do not go back to an earlier batch", "stop the job without a savepoint;"
                    + " run again with the same state, it goes on from there");
        }
        String mode = mode(job, stop);
        if (mode != null && !mode.equals(Message.Stop.DRAIN)) {
            String why = mode.equals(Message.Stop.NOW) ? "drop what it is to keep" : "end the windows that it is to keep";
            throw new Refusal("stop_mode", "a job that is stopped with a savepoint drains: `" + mode + "` would " + why,
                    "stop it with the mode drain");
        }
        SavepointCopy copy = SavepointCopy.at(Wished.absolute(job.course().submission(), folder), environment);
        try {
            job.savepoint(copy, mode);
        } catch (Refusal no) {
            copy.fail(no.getMessage());
            throw no;
        }
        return copy.done();
    }

    /** @return null to go on */
    static String mode(Job job, String stop) throws Refusal {
        String mode = stop.isEmpty() ? null : stop.equals(USUAL) ? job.course().submission().options().stopping().mode()
                : JobOptions.stopMode(stop);
        if (Message.Stop.FLUSH.equals(mode) && isPart(job)) {
            throw new Refusal("stop_mode", "flush ends the job as the end of its input does, and Spark's queries know no such"
                    + " end: rows on their way to Spark would not come back",
                    "stop it with the mode drain: windows stay open for the next run");
        }
        return mode;
    }

    private static boolean isPart(Job job) {
        return job.course().submission().options().recovery().isPart();
    }

    /** {@code {"done": false}}, or {@code {"done": true, "epoch", "bytes", "folder"}}. */
    static ObjectNode await(Job job, long millis) throws Refusal {
        SavepointCopy copy = job.savepoint();
        if (copy == null) {
            throw new Refusal(SavepointCopy.RULE, "no savepoint of job " + job.id() + " was asked for", null);
        }
        try {
            Manifest written = copy.done().get(millis, TimeUnit.MILLISECONDS);
            return Json.object().put("done", true).put("epoch", written.epoch()).put("bytes", bytes(written))
                    .put("folder", copy.address());
        } catch (ExecutionException e) {
            throw Refusal.of(e.getCause());
        } catch (TimeoutException e) {
            return Json.object().put("done", false);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Json.object().put("done", false);
        }
    }

    static long bytes(Manifest written) {
        return written.files().stream().mapToLong(Manifest.DataFile::length).sum();
    }
}
