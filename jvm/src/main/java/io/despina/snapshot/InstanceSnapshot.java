package io.despina.snapshot;

import io.despina.state.Frozen;
import io.despina.state.SectionWriter;
import io.despina.state.State;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Writes the snapshot of one operator instance. {@link EpochFile#begin} freezes the instance's states. The task's thread writes
 * them into buffers, slice by slice, while packets keep changing the live states; another thread writes the buffers to the file.
 * So no call blocks, and none takes longer than filling a buffer, unless a single value is larger.
 */
public final class InstanceSnapshot implements AutoCloseable {
    /** The size of a slice. */
    private static final int SLICE = 1 << 16;
    /** The most buffers. While the file's thread holds them all, the task's thread waits. */
    private static final int BUFFERS = 4;

    /** The outcome of writing a slice. */
    public enum SliceResult {
        /** More follows: call again. */
        WORKED,
        /** The file's thread holds all buffers: call again after its callback. */
        WAITS,
        /** Everything is handed over; {@link #written} will complete. */
        DONE
    }

    private final EpochFile.Handover file;
    private final List<? extends State> states;
    private final List<Frozen> frozen = new ArrayList<>();
    private final SectionWriter writer = new SectionWriter(SLICE);
    private final Queue<byte[]> free = new ConcurrentLinkedQueue<>();
    /** The number of buffers in existence; the writer has one. */
    private int buffers = 1;
    private int next;
    private boolean begun;
    private boolean ended;

    /** Freezes the states. */
    InstanceSnapshot(EpochFile.Handover file, List<? extends State> states) {
        this.file = file;
        this.states = states;
        for (State state : states) {
            frozen.add(file.freeze(state));
            file.say(state);
        }
    }

    /** Writes a slice. Called by the thread of the operator. */
    public SliceResult write() throws IOException {
        if (next == states.size()) {
            end();
            return SliceResult.DONE;
        }
        byte[] empty = free.poll();
        if (empty == null && buffers == BUFFERS) {
            return SliceResult.WAITS;
        }
        if (empty == null) {
            buffers++;
            empty = buffer();
        }
        State state = states.get(next);
        if (!begun) {
            writer.begin(state, frozen.get(next).form());
            begun = true;
        }
        if (frozen.get(next).write(writer)) {
            writer.end();
            frozen.get(next).close();
            next++;
            begun = false;
        }
        if (writer.size() == 0) {
            free.add(empty);        // a state has only looked for what has changed
            return SliceResult.WORKED;
        }
        byte[] full = writer.bytes();
        file.slice(state.name(), full, writer.size(), () -> free.add(full.length > 2 * SLICE ? buffer() : full));
        writer.replace(empty);
        return SliceResult.WORKED;
    }

    private static byte[] buffer() {
        return new byte[SectionWriter.FIRST];
    }

    private void end() {
        if (!ended) {
            ended = true;
            file.end();
        }
    }

    /** Completes when everything is in the file, which {@link EpochFile#finish} makes durable; or with an error. */
    public CompletableFuture<Void> written() {
        return file.handedOver();
    }

    /** Releases the states. If not everything is written, the epoch's file is given up. */
    @Override
    public void close() {
        frozen.forEach(Frozen::close);
        if (!ended) {
            ended = true;
            if (next == states.size()) {
                file.end();
            } else {
                next = states.size();
                file.drop();
            }
        }
    }
}
