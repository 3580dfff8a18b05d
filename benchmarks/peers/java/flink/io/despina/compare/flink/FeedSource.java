package io.despina.compare.flink;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** A source of one reader and one split, which is the whole feed; nothing is ever restored. */
final class FeedSource<T> implements Source<T, FeedSource.Whole, Void> {
    private static final long serialVersionUID = 1;

    private final Feed<T> feed;

    FeedSource(Feed<T> feed) {
        this.feed = feed;
    }

    /** The split. */
    record Whole() implements SourceSplit {
        @Override
        public String splitId() {
            return "whole";
        }
    }

    @Override
    public Boundedness getBoundedness() {
        return Boundedness.CONTINUOUS_UNBOUNDED;
    }

    @Override
    public SourceReader<T, Whole> createReader(SourceReaderContext context) {
        return new Reader();
    }

    @Override
    public SplitEnumerator<Whole, Void> createEnumerator(SplitEnumeratorContext<Whole> context) {
        return new Enumerator(context);
    }

    @Override
    public SplitEnumerator<Whole, Void> restoreEnumerator(SplitEnumeratorContext<Whole> context, Void none) {
        return new Enumerator(context);
    }

    @Override
    public SimpleVersionedSerializer<Whole> getSplitSerializer() {
        return new Nothing<>(new Whole());
    }

    @Override
    public SimpleVersionedSerializer<Void> getEnumeratorCheckpointSerializer() {
        return new Nothing<>(null);
    }

    /** Serializes the only value there is. */
    private record Nothing<V>(V value) implements SimpleVersionedSerializer<V> {
        @Override
        public int getVersion() {
            return 1;
        }

        @Override
        public byte[] serialize(V ignored) {
            return new byte[0];
        }

        @Override
        public V deserialize(int version, byte[] ignored) {
            return value;
        }
    }

    /** Gives the split to the one reader. */
    private record Enumerator(SplitEnumeratorContext<Whole> context) implements SplitEnumerator<Whole, Void> {
        @Override
        public void start() {
        }

        @Override
        public void handleSplitRequest(int subtask, String host) {
        }

        @Override
        public void addSplitsBack(List<Whole> splits, int subtask) {
        }

        @Override
        public void addReader(int subtask) {
            context.assignSplit(new Whole(), subtask);
            context.signalNoMoreSplits(subtask);
        }

        @Override
        public Void snapshotState(long checkpoint) {
            return null;
        }

        @Override
        public void close() {
        }
    }

    private final class Reader implements SourceReader<T, Whole> {
        private final CompletableFuture<Void> assigned = new CompletableFuture<>();
        /** Whether the feed has said that nothing will ever come. */
        private boolean silent;

        @Override
        public void start() {
            feed.open();
        }

        @Override
        public InputStatus pollNext(ReaderOutput<T> output) {
            InputStatus status = assigned.isDone() ? feed.poll(output) : InputStatus.NOTHING_AVAILABLE;
            silent = assigned.isDone() && status == InputStatus.NOTHING_AVAILABLE;
            return status;
        }

        @Override
        public List<Whole> snapshotState(long checkpoint) {
            return List.of();
        }

        @Override
        public CompletableFuture<Void> isAvailable() {
            return silent ? new CompletableFuture<>() : assigned;
        }

        @Override
        public void addSplits(List<Whole> splits) {
            assigned.complete(null);
        }

        @Override
        public void notifyNoMoreSplits() {
        }

        @Override
        public void close() {
        }
    }
}
