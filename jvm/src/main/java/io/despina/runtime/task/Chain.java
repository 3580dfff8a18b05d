package io.despina.runtime.task;

import io.despina.buffer.Segment;
import io.despina.buffer.SegmentKind;
import io.despina.link.PortOutput;
import io.despina.runtime.deployment.StageSpec;
import io.despina.runtime.deployment.TaskSpec;
import io.despina.spec.ControlCommand;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * A task's stages, the fused links between them, and the ports that lead out of the task. Where a stage chooses a port for each
 * packet, several stages may be fused behind it: a way that has no room then holds the others up.
 */
final class Chain {
    /** Of the first snapshot after a restore, in nanoseconds for each run of the task. */
    private static final long FIRST_SLICES = 500_000;

    private final Stage[] stages;
    /** By stage, the link into it; the first has none. */
    private final FusedLink[] into;
    /** The links behind the first stage. */
    private FusedLink[] first = {};
    /** All links, the lowest rank first, and those of one rank together. */
    private FusedLink[][] ranked = {};
    private final PortOutput[] ports;
    /** By port: the stage that writes to it. */
    private final int[] writers;
    /** The stages that are sinks that commit. */
    private StageEpochs[] committing = {};

    private Chain(TaskParts parts) {
        int n = parts.spec().stages().size();
        stages = new Stage[n];
        into = new FusedLink[n];
        ports = parts.outputs().values().toArray(PortOutput[]::new);
        writers = parts.outputs().keySet().stream().mapToInt(port -> port.stage()).toArray();
    }

    /**
     * Makes the operators and opens them, last stage first.
     *
     * @throws TaskFailedException if one cannot be made or opened; then all are closed again
     */
    static Chain open(TaskParts parts) {
        Chain chain = new Chain(parts);
        boolean open = false;
        try {
            chain.openStages(parts);
            open = true;
            return chain;
        } finally {
            if (!open) {
                chain.abort();
            }
        }
    }

    private void openStages(TaskParts parts) {
        TaskSpec spec = parts.spec();
        for (int k = 0; k < stages.length; k++) {
            stages[k] = new Stage(parts.stage(k), spec.settings().objectReuse());
        }
        SortedMap<Integer, List<FusedLink>> byRank = new TreeMap<>();
        for (int k = stages.length - 1; k >= 0; k--) {
            FusedLink[] behind = spec.stages().get(k).fused().stream().map(way -> into[way.to()]).toArray(FusedLink[]::new);
            if (k == 0) {
                first = behind;
            } else {
                int rank = spec.into(k).rank();
                into[k] = new FusedLink(spec.stages().get(k).ports().inputs().get(0), stages[k], behind,
                        parts.links().port(rank, spec.settings()));
                into[k].setWaker(parts.waker());
                byRank.computeIfAbsent(rank, of -> new ArrayList<>()).add(into[k]);
            }
            stages[k].open(outputs(parts, k));
        }
        ranked = byRank.values().stream().map(links -> links.toArray(FusedLink[]::new)).toArray(FusedLink[][]::new);
        committing = Arrays.stream(stages).map(Stage::epochs).filter(StageEpochs::commits).toArray(StageEpochs[]::new);
    }

    private StagePort[] outputs(TaskParts parts, int stage) {
        StageSpec spec = parts.spec().stages().get(stage);
        StagePort[] outputs = new StagePort[spec.ports().outputs().size()];
        parts.outputs().forEach((port, output) -> {
            if (port.stage() == stage) {
                outputs[port.port()] = new StagePort(output, true);
            }
        });
        spec.fused().forEach(way -> outputs[way.port()] = new StagePort(into[way.to()], true));
        for (int k = 0; k < outputs.length; k++) {
            if (outputs[k] == null) {
                outputs[k] = new StagePort(parts.links().unlinked(spec.ports().outputs().get(k), parts.spec().settings()), false);
            }
        }
        return outputs;
    }

    Stage first() {
        return stages[0];
    }

    /** Sends on the watermarks that a snapshot had; called once, before anything else. */
    void resume() {
        for (Stage stage : stages) {
            stage.resume();
        }
    }

    /** Writes a slice of the snapshots that are being written. @return whether there is more to write now */
    boolean write(LongSupplier clock) {
        boolean more = writeSlice();
        if (more && isFirst()) {
            // many rows wait behind it, since a loss made them late: it gets as much time as packets
            long until = clock.getAsLong() + FIRST_SLICES;
            while (more && clock.getAsLong() < until) {
                more = writeSlice();
            }
        }
        return more;
    }

    private boolean writeSlice() {
        boolean more = false;
        for (Stage stage : stages) {
            more |= stage.epochs().write();
        }
        return more;
    }

    private boolean isFirst() {
        for (Stage stage : stages) {
            if (stage.epochs().isFirst()) {
                return true;
            }
        }
        return false;
    }

    /** Gives up what is not written yet. */
    void drop() {
        for (Stage stage : stages) {
            stage.epochs().drop();
        }
    }

    /** Whether the task takes part in epochs, also after its END. */
    boolean takesPart() {
        for (Stage stage : stages) {
            if (stage.epochs().takesPart()) {
                return true;
            }
        }
        return false;
    }

    /** The END has passed: the task waits for epochs to take part in. */
    void join() {
        for (Stage stage : stages) {
            stage.epochs().join();
        }
    }

    /** After the END: the barrier of that epoch, which no input brings any more. */
    void freeze(long epoch) {
        for (Stage stage : stages) {
            stage.freeze(epoch);
        }
    }

    /** The epoch is complete and kept. */
    void complete(Mailbox.Command.Complete command) {
        for (Stage stage : stages) {
            stage.epochs().complete(command);
        }
    }

    /** Whether the task only passes packets on. */
    boolean passesOn() {
        return stages.length == 1 && stages[0].passesOn();
    }

    /** Whether an operator, now that it is open, may wait in any call. */
    boolean blocks() {
        for (Stage stage : stages) {
            if (stage.blocks()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether every port that leads out of the task has room, and packets may be written to its fused links; in the order of the
     * ranks.
     */
    boolean hasRoom() {
        for (FusedLink[] links : ranked) {
            if (!mayWrite(links)) {
                return false;
            }
        }
        for (PortOutput port : ports) {
            if (!port.hasRoom()) {
                return false;
            }
        }
        return true;
    }

    /** Of one rank: the turn that one of them has is this task's, and it ends when the chain is settled. */
    private static boolean mayWrite(FusedLink[] links) {
        for (FusedLink link : links) {
            if (link.isLarge()) {
                return true;
            }
        }
        for (FusedLink link : links) {
            if (!link.mayWrite()) {
                return false;
            }
        }
        return true;
    }

    /** When the first of the operators wants to be called, in nanoseconds, or {@link Long#MAX_VALUE}. */
    long timerAt() {
        long first = Long.MAX_VALUE;
        for (Stage stage : stages) {
            first = Math.min(first, stage.timer().at());
        }
        return first;
    }

    /** Whether an operator that was called by its timer has more to write. */
    boolean isRinging() {
        for (Stage stage : stages) {
            if (stage.timer().isRinging()) {
                return true;
            }
        }
        return false;
    }

    /** Calls an operator whose timer has passed, first the one that has more to write. The chain is settled and has room. */
    void ring(long now) {
        Stage first = null;
        for (Stage stage : stages) {
            StageTimer timer = stage.timer();
            first = timer.isRinging() || first == null && timer.isDue(now) ? stage : first;
        }
        if (!first.timer().isRinging()) {
            first.origin(now);
        }
        try {
            first.timer().ring();
        } catch (Exception | LinkageError | StackOverflowError e) {
            throw first.failed(e);
        }
    }

    /** What a user tells an operator. The chain is settled and has room. @return false if rows must leave before: call again */
    boolean obey(Mailbox.Command.Tell tell) {
        if (!stages[tell.stage()].obey(tell)) {
            return false;
        }
        if (tell.command() == ControlCommand.FLUSH) {
            for (PortOutput port : ports) {
                port.flush(Long.MAX_VALUE);
            }
        }
        return true;
    }

    /** The last mark that has passed all stages, as barriers say it; 0 before the first. */
    long marked() {
        long marked = Long.MIN_VALUE;
        for (Stage stage : stages) {
            marked = Math.max(marked, stage.marked());        // a later mark is less
        }
        return marked;
    }

    /** How many keys the operator of a stage has values for. */
    long keys(int stage) {
        return stages[stage].keys();
    }

    /** Moves on the packets between the stages. @return false if a port had no room */
    boolean settle() {
        return FusedLink.drain(first);
    }

    /** Sends what should be sent now. @return when to be called again at the latest */
    long flush(long now) {
        long next = Long.MAX_VALUE;
        for (int k = 1; k < into.length; k++) {
            into[k].flush(now);
        }
        for (int k = 0; k < ports.length; k++) {
            try {
                next = Math.min(next, ports[k].flush(now));
            } catch (RuntimeException e) {
                throw stages[writers[k]].failed(e);
            }
        }
        for (StageEpochs sink : committing) {
            next = Math.min(next, sink.roll(now));
        }
        return next;
    }

    void succeed() {
        for (StageEpochs sink : committing) {
            sink.succeed();
        }
    }

    /**
     * Ends early: packets between the stages are dropped, and the ports send the END of a stop.
     *
     * @param ended whether its END has been passed on: no other follows
     * @return how many packets were dropped
     */
    long cut(boolean ended) {
        long dropped = 0;
        for (int k = 1; k < into.length; k++) {
            dropped += into[k].drop();
        }
        drop();
        for (Stage stage : stages) {
            stage.cut();
        }
        for (PortOutput port : ports) {
            if (!ended) {
                port.signal(SegmentKind.END, Segment.STOPPED);
            }
        }
        return dropped;
    }

    /** The task ends: counts what its operators still hold. */
    void leave() {
        for (Stage stage : stages) {
            stage.leave();
        }
    }

    void count() {
        for (Stage stage : stages) {
            stage.count();
        }
    }

    void close() {
        for (Stage stage : stages) {
            stage.close();
        }
    }

    void abort() {
        for (Stage stage : stages) {
            if (stage != null) {
                stage.abort();
            }
        }
        for (FusedLink link : into) {
            if (link != null) {
                link.close();
            }
        }
    }
}
