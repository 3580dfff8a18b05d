package io.despina.spark.source;

import io.despina.packet.Schema;
import io.despina.spool.SpoolState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.streaming.CompositeReadLimit;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.connector.read.streaming.Offset;
import org.apache.spark.sql.connector.read.streaming.PartitionOffset;
import org.apache.spark.sql.connector.read.streaming.ReadLimit;
import org.apache.spark.sql.connector.read.streaming.ReadMaxBytes;
import org.apache.spark.sql.connector.read.streaming.ReadMaxRows;
import org.apache.spark.sql.connector.read.streaming.ReportsSourceMetrics;
import org.apache.spark.sql.connector.read.streaming.SupportsRealTimeMode;
import org.apache.spark.sql.connector.read.streaming.SupportsTriggerAvailableNow;

/**
 * An output as a stream: its rows up to what Spark has committed are cut. The query's thread calls it, one call at a time.
 *
 * <p>A job of the query's own starts with it, and keeps nothing for another: a query that goes on from a checkpoint starts the
 * graph again, as another generation, and what the one before had not committed is gone. That is refused unless the user asks for
 * it. A job that runs already outlives the query, which goes on there.
 */
final class GraphStream implements MicroBatchStream, SupportsTriggerAvailableNow, SupportsRealTimeMode,
        ReportsSourceMetrics {
    private static final String RESTARTED = "this query's checkpoint is of an earlier run: the graph would start again from its"
            + " beginning, and rows that came before could come again or be missing\n  hint: take another checkpointLocation, or"
            + " option(\"onRestart\", \"begin\") if that is what you want";
    private static final String OTHER_JOB = "this query's checkpoint is of another job, whose rows are gone\n  hint: take another"
            + " checkpointLocation, or option(\"onRestart\", \"begin\"): all that this job still keeps comes then";
    private static final long POLL_MILLIS = 5;

    private final SourceOptions options;
    private final Schema packets;
    private boolean available;
    /** With {@code available}, of a job that runs already: what was there at first. Null before, and for a job of its own. */
    private long[] bound;
    /** Null until it is first needed. */
    private SpooledOutput job;
    private final StreamEnd end;
    /** Among others of its output; null of a job of its own, which has no other reader. */
    private final Readers.OutputReader reader;

    /** @param place its folder in the query's checkpoint */
    GraphStream(SourceOptions options, Schema packets, String place) {
        this.options = options;
        reader = options.graph() != null ? null : Readers.OF_DRIVER.join(
                Readers.Output.of(options.job(), options.output()), place, options.limits().readers(), this);
        end = new StreamEnd(options.output(), options.stopsAtEnd());
        this.packets = packets;
    }

    private SpooledOutput job() {
        if (job == null) {
            job = SpooledOutput.open(options, available ? SpooledOutput.Reading.AVAILABLE : SpooledOutput.Reading.STREAM);
        }
        return job;
    }

    @Override
    public Offset initialOffset() {
        return new RowOffset(job().generation(), first());
    }

    /** The first rows that the job still keeps. */
    private long[] first() {
        long[] kept = states().stream().mapToLong(SpoolState::first).toArray();
        return reader == null ? kept : reader.first(job().generation(), kept);
    }

    /** Once all have had all rows, their job may have ended, and is asked nothing any more. */
    private List<SpoolState> states() {
        List<SpoolState> taken = reader == null ? null : reader.taken(job().generation());
        if (taken != null) {
            return taken;
        }
        List<SpoolState> states = job().states();
        if (reader != null && states.stream().allMatch(SpoolState::ended)) {
            reader.ended(job().generation(), states);
        }
        return states;
    }

    @Override
    public void prepareForTriggerAvailableNow() {
        available = true;
        if (options.graph() == null) {
            bound = there();
        }
    }

    @Override
    public ReadLimit getDefaultReadLimit() {
        ReadLimit bytes = ReadLimit.maxBytes(options.limits().bytes());
        return options.limits().rows() == 0 ? bytes
                : ReadLimit.compositeLimit(new ReadLimit[] {ReadLimit.maxRows(options.limits().rows()), bytes});
    }

    @Override
    public Offset latestOffset() {
        throw new UnsupportedOperationException("Spark asks with a limit");
    }

    @Override
    public Offset latestOffset(Offset start, ReadLimit limit) {
        long[] from = rowsOf(RowOffset.of(start));
        // before the cut: with its last rows the job may end, and answers no more
        List<SpoolState> before = states();
        long[] to = bound != null ? bound : rows(before);
        // Spark has done with the batch before, and tells so only when the next one has rows: a full spool would have none
        cut(from, before);
        while (available && bound == null && Arrays.equals(from, to) && !hasEnded()) {
            try {
                Thread.sleep(POLL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return start;
            }
            to = there();
        }
        if (!available && Arrays.equals(from, to) && hasEnded()) {
            end.isReached();
        }
        return new RowOffset(job().generation(), within(limit, from, to));
    }

    private void cut(long[] done, List<SpoolState> states) {
        long[] known = knowingTheEnd(done, states);
        long[] all = reader == null ? known : reader.done(new RowOffset(job().generation(), known));
        if (all == null) {
            return;
        }
        boolean isCut = false;
        try {
            job().cut(all);
            isCut = true;
        } finally {
            if (reader != null && !isCut) {
                reader.failed();
            }
        }
    }

    /**
     * Before the end is seen, the last row stays: a job whose rows are all cut may end at any time, and could then not be asked
     * for the end.
     */
    private static long[] knowingTheEnd(long[] done, List<SpoolState> states) {
        if (states.stream().allMatch(SpoolState::ended)) {
            return done;
        }
        long[] rows = done.clone();
        Arrays.setAll(rows, k -> Math.min(rows[k], Math.max(0, states.get(k).rows() - 1)));
        return rows;
    }

    private long[] there() {
        return bound != null ? bound : rows(states());
    }

    private static long[] rows(List<SpoolState> states) {
        return states.stream().mapToLong(SpoolState::rows).toArray();
    }

    private boolean hasEnded() {
        return states().stream().allMatch(SpoolState::ended);
    }

    /** Where that is in this generation. */
    private long[] rowsOf(RowOffset offset) {
        if (offset.generation().equals(job().generation())) {
            return offset.rows();
        }
        if (!options.beginsAgain()) {
            throw new IllegalStateException(options.graph() == null ? OTHER_JOB : RESTARTED);
        }
        return first();
    }

    private long[] within(ReadLimit limit, long[] from, long[] to) {
        if (limit instanceof CompositeReadLimit all) {
            long[] least = to;
            for (ReadLimit each : all.getReadLimits()) {
                least = within(each, from, least);
            }
            return least;
        }
        if (limit instanceof ReadMaxRows most) {
            return Shares.of(most.maxRows(), from, to);
        }
        long[] within = to.clone();
        if (limit instanceof ReadMaxBytes most) {
            for (int k = 0; k < to.length; k++) {
                within[k] = from[k] >= to[k] ? to[k]
                        : Math.min(to[k], job().rowBehind(k, from[k], most.maxBytes() / to.length));
            }
        }
        return within;
    }

    @Override
    public InputPartition[] planInputPartitions(Offset start, Offset end) {
        RowOffset to = RowOffset.of(end);
        if (!to.generation().equals(job().generation())) {
            rowsOf(to);
            return new InputPartition[0];       // of the run before: all rows come again
        }
        long[] from = rowsOf(RowOffset.of(start));
        List<InputPartition> partitions = new ArrayList<>();
        for (int k = 0; k < from.length; k++) {
            if (from[k] < to.rows()[k]) {
                partitions.add(job().partition(k, from[k], to.rows()[k]));
            }
        }
        return partitions.toArray(InputPartition[]::new);
    }

    /** In real-time mode: what will come of each instance, for as long as Spark's batch lasts. */
    @Override
    public InputPartition[] planInputPartitions(Offset start) {
        long[] from = rowsOf(RowOffset.of(start));
        InputPartition[] partitions = new InputPartition[from.length];
        Arrays.setAll(partitions, k -> job().partition(k, from[k], Long.MAX_VALUE));
        return partitions;
    }

    @Override
    public Offset mergeOffsets(PartitionOffset[] read) {
        long[] rows = new long[job().instances()];
        for (PartitionOffset each : read) {
            SpoolReader.Position position = (SpoolReader.Position) each;
            rows[position.instance()] = position.row();
        }
        return new RowOffset(job().generation(), rows);
    }

    @Override
    public PartitionReaderFactory createReaderFactory() {
        return new SpoolReaderFactory(packets);
    }

    @Override
    public Offset deserializeOffset(String json) {
        return RowOffset.of(json);
    }

    @Override
    public void commit(Offset end) {
        RowOffset done = RowOffset.of(end);
        // Spark commits its last batch after it has stopped its sources
        if (!job().isClosed() && done.generation().equals(job().generation())) {
            cut(done.rows(), states());
        }
    }

    @Override
    public Map<String, String> metrics(Optional<Offset> consumed) {
        if (job == null || consumed.isEmpty() || !RowOffset.of(consumed.get()).generation().equals(job.generation())) {
            return Map.of();
        }
        List<SpoolState> states = states();
        long behind = 0;
        long kept = 0;
        for (int k = 0; k < states.size(); k++) {
            behind += states.get(k).rows() - RowOffset.of(consumed.get()).rows()[k];
            kept += states.get(k).rows() - states.get(k).first();
        }
        boolean ended = behind == 0 && states.stream().allMatch(SpoolState::ended);
        return Map.of("rowsBehind", Long.toString(behind), "rowsKept", Long.toString(kept), "ended", Boolean.toString(ended));
    }

    /** In Spark's progress reports. */
    @Override
    public String toString() {
        return options.toString();
    }

    @Override
    public void stop() {
        if (reader != null) {
            reader.leave();
        }
        if (job != null) {
            job.close();
        }
    }
}
