package io.despina.snapshot;

import io.despina.state.Frozen;
import io.despina.state.State;
import io.despina.wake.Waker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The file of one resource and epoch: the states of all operator instances that run there. Their tasks hand over slices, in any
 * order; one thread at a time writes them, and makes the file durable once. If anything fails the file is removed.
 */
public final class EpochFile implements AutoCloseable {

    /**
     * What is on disk.
     *
     * @param files     the last is this one; before it those whose changes it has, the oldest first. Empty if nothing has states
     * @param states    by operator
     * @param instances those that have states
     */
    public record Written(List<Manifest.DataFile> files, Map<String, List<Manifest.StateType>> states,
            List<WrittenInstance> instances) {
        public static final Written NOTHING = new Written(List.of(), Map.of(), List.of());

        public Written {
            files = List.copyOf(files);
            instances = List.copyOf(instances);
        }
    }

    /**
     * An instance of an operator.
     *
     * @param chain where its sections are, by the index of the file
     * @param texts by state, for people: {@link State#texts}
     */
    public record WrittenInstance(String operator, int instance, List<Manifest.Piece> chain,
            Map<String, Map<String, String>> texts) {
        public WrittenInstance {
            chain = List.copyOf(chain);
        }
    }

    private final SnapshotStore store;
    private final String path;
    private final Executor disk;
    private final Written before;
    private final Queue<Action> actions = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicInteger begun = new AtomicInteger();
    private final CompletableFuture<Written> whole = new CompletableFuture<>();
    // below: used by the thread of the disk only
    private final List<Handover> handedOver = new ArrayList<>();
    private SectionFile file;
    private boolean finishing;

    /** Something for the disk's thread to do. */
    @FunctionalInterface
    private interface Action {
        void run() throws IOException;
    }

    /**
     * @param path in the store; nothing may exist there
     * @param disk runs what may block on the disk
     */
    public EpochFile(SnapshotStore store, String path, Executor disk) {
        this(store, path, disk, Written.NOTHING);
    }

    /** The same. @param before what the states have written last, since when they write what has changed */
    public EpochFile(SnapshotStore store, String path, Executor disk, Written before) {
        this.store = store;
        this.path = path;
        this.disk = disk;
        this.before = before;
    }

    /**
     * Freezes the states of an instance, which writes them slice by slice. Any thread, before {@link #finish}.
     *
     * @param task woken when a buffer is free again
     */
    public InstanceSnapshot begin(String operator, int instance, List<? extends State> states, Waker task) {
        begun.incrementAndGet();
        return new InstanceSnapshot(new Handover(operator, instance, states, task), states);
    }

    /**
     * No further instance begins.
     *
     * @return completes when all have written everything and the file is durable, or with the error that prevented it
     */
    public CompletableFuture<Written> finish() {
        add(() -> {
            finishing = true;
            finishIfWhole();
        });
        return whole;
    }

    /** Removes the file unless it is durable. */
    @Override
    public void close() {
        add(() -> {
            if (!whole.isDone()) {
                throw new IOException(path + ": the epoch was dropped");
            }
        });
    }

    private void add(Action action) {
        actions.add(action);
        if (waiting.getAndIncrement() == 0) {
            disk.execute(this::work);
        }
    }

    private void work() {
        do {
            try {
                actions.remove().run();
            } catch (IOException | RuntimeException e) {
                fail(e instanceof UncheckedIOException io ? io.getCause() : e);
            } catch (Error e) {
                fail(new IOException(path + ": " + e, e));      // else the epoch would wait for its end
            }
        } while (waiting.decrementAndGet() > 0);
    }

    private void fail(Exception cause) {
        if (whole.completeExceptionally(cause) && file != null) {
            try {
                file.close();
            } catch (IOException alsoThis) {
                cause.addSuppressed(alsoThis);
            }
        }
    }

    private void finishIfWhole() throws IOException {
        if (!finishing || handedOver.size() < begun.get() || whole.isDone()) {
            return;
        }
        Map<String, List<Manifest.StateType>> states = new TreeMap<>();
        handedOver.forEach(each -> states.put(each.operator, each.types));
        List<Manifest.DataFile> files = new ArrayList<>();
        if (file != null) {
            files.addAll(before.files);
            files.add(file.finish(path));
        }
        whole.complete(new Written(files, states, handedOver.stream().map(Handover::written).toList()));
    }

    /** What one instance hands over. */
    final class Handover {
        private final String operator;
        private final int instance;
        private final List<Manifest.StateType> types;
        private final Map<String, Map<String, String>> texts = new TreeMap<>();
        private final Waker task;
        /** Where the sections are whose changes it writes; empty if it writes all. */
        private final List<Manifest.Piece> earlier;
        private final CompletableFuture<Void> handed = new CompletableFuture<>();
        private long bytes;

        Handover(String operator, int instance, List<? extends State> states, Waker task) {
            this.operator = operator;
            this.instance = instance;
            this.task = task;
            types = states.stream().map(Manifest.StateType::of).toList();
            earlier = before.instances.stream()
                    .filter(each -> each.operator.equals(operator) && each.instance == instance)
                    .map(WrittenInstance::chain).findAny().orElse(List.of());
        }

        Frozen freeze(State state) {
            return earlier.isEmpty() ? state.freeze() : state.freezeChanges();
        }

        /** What is to be said of a state that is frozen. By the task's thread, before it hands over anything. */
        void say(State state) {
            Map<String, String> ofState = state.texts();
            if (!ofState.isEmpty()) {
                texts.put(state.name(), ofState);
            }
        }

        /** Completes when everything is in the file, which may not be durable yet. */
        CompletableFuture<Void> handedOver() {
            return handed;
        }

        /** @param free called with the buffer when it is written; by the disk's thread */
        void slice(String state, byte[] slice, int size, Runnable free) {
            add(() -> {
                try {
                    if (!whole.isDone()) {
                        if (file == null) {
                            file = new SectionFile(store.create(path));
                        }
                        file.write(new SectionFile.Key(operator, instance, state), slice, size);
                        bytes += size;
                    }
                } finally {
                    free.run();
                    task.wake();
                }
            });
        }

        void end() {
            add(() -> {
                handedOver.add(this);
                if (whole.isDone()) {
                    whole.whenComplete((written, failed) -> handed.completeExceptionally(
                            failed == null ? new IOException(path + ": the file had its end") : failed));
                } else {
                    handed.complete(null);
                    finishIfWhole();
                }
            });
        }

        void drop() {
            add(() -> {
                IOException dropped = new IOException(path + ": operator `" + operator + "`, instance " + instance
                        + ", gave its snapshot up");
                handed.completeExceptionally(dropped);
                throw dropped;
            });
        }

        private WrittenInstance written() {
            List<Manifest.Piece> chain = new ArrayList<>(earlier);
            if (bytes > 0) {
                chain.add(new Manifest.Piece(before.files.size(), bytes));
            }
            return new WrittenInstance(operator, instance, chain, texts);
        }
    }
}
