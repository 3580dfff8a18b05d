package io.despina.compare.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.connector.read.streaming.Offset;
import org.apache.spark.sql.connector.read.streaming.ReadLimit;
import org.apache.spark.sql.connector.read.streaming.SupportsTriggerAvailableNow;
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * A stream of the numbers 0, 1 … of {@code count} events, so many in a micro-batch ({@code batch}), in two partitions; as
 * {@code range} makes them of a batch. Behind them come {@code last} and the next number, a micro-batch each: the time of the one
 * closes all windows, and the micro-batch of the other puts them out.
 */
public final class NumberSource implements TableProvider {
    private static final StructType SCHEMA = new StructType().add("id", DataTypes.LongType, false);
    private static final int PARTITIONS = 2;
    private static final int ROWS = 4096;
    private static final int LAST = 2;

    @Override
    public StructType inferSchema(CaseInsensitiveStringMap options) {
        return SCHEMA;
    }

    @Override
    public Table getTable(StructType schema, Transform[] partitioning, Map<String, String> properties) {
        return new Numbers();
    }

    private static final class Numbers implements Table, SupportsRead {
        @Override
        public String name() {
            return "numbers";
        }

        @Override
        @SuppressWarnings("deprecation")    // columns() builds on it
        public StructType schema() {
            return SCHEMA;
        }

        @Override
        public Set<TableCapability> capabilities() {
            return Set.of(TableCapability.MICRO_BATCH_READ);
        }

        @Override
        public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
            Batches batches = new Batches(options.getLong("count", 0), options.getLong("batch", 1), options.getLong("last", 0));
            return () -> new Scan() {
                @Override
                public StructType readSchema() {
                    return SCHEMA;
                }

                @Override
                public MicroBatchStream toMicroBatchStream(String checkpoint) {
                    return batches;
                }
            };
        }
    }

    /** How many numbers there have been. */
    private static final class Count extends Offset {
        private final long numbers;

        Count(long numbers) {
            this.numbers = numbers;
        }

        @Override
        public String json() {
            return Long.toString(numbers);
        }
    }

    /** Numbers {@code from} until {@code to}. */
    private record Range(long from, long to) implements InputPartition {
        private static final long serialVersionUID = 1;
    }

    private record Batches(long count, long batch, long last) implements MicroBatchStream, SupportsTriggerAvailableNow {
        @Override
        public Offset initialOffset() {
            return new Count(0);
        }

        @Override
        public void prepareForTriggerAvailableNow() {
        }

        @Override
        public ReadLimit getDefaultReadLimit() {
            return ReadLimit.allAvailable();
        }

        @Override
        public Offset latestOffset(Offset start, ReadLimit limit) {
            long from = ((Count) start).numbers;
            return new Count(from < count ? Math.min(from + batch, count) : Math.min(from + 1, count + LAST));
        }

        @Override
        public Offset latestOffset() {
            throw new UnsupportedOperationException("latestOffset(Offset, ReadLimit) says it");
        }

        @Override
        public Offset deserializeOffset(String json) {
            return new Count(Long.parseLong(json));
        }

        @Override
        public InputPartition[] planInputPartitions(Offset start, Offset end) {
            long from = ((Count) start).numbers;
            long to = Math.min(((Count) end).numbers, count);
            List<Range> parts = new ArrayList<>();
            for (int k = 0; k < PARTITIONS && from < to; k++) {
                parts.add(new Range(from + (to - from) * k / PARTITIONS, from + (to - from) * (k + 1) / PARTITIONS));
            }
            if (((Count) end).numbers > count) {
                long behind = Math.max(((Count) start).numbers, count) - count;
                parts.add(new Range(last + behind, last + ((Count) end).numbers - count));
            }
            return parts.toArray(InputPartition[]::new);
        }

        @Override
        public PartitionReaderFactory createReaderFactory() {
            return new Readers();
        }

        @Override
        public void commit(Offset end) {
        }

        @Override
        public void stop() {
        }
    }

    private static final class Readers implements PartitionReaderFactory {
        private static final long serialVersionUID = 1;

        @Override
        public boolean supportColumnarReads(InputPartition partition) {
            return true;
        }

        @Override
        public PartitionReader<ColumnarBatch> createColumnarReader(InputPartition partition) {
            return new Reader((Range) partition);
        }

        @Override
        public PartitionReader<InternalRow> createReader(InputPartition partition) {
            throw new UnsupportedOperationException("it gives columns");
        }
    }

    private static final class Reader implements PartitionReader<ColumnarBatch> {
        private final OnHeapColumnVector numbers = new OnHeapColumnVector(ROWS, DataTypes.LongType);
        private final ColumnarBatch batch = new ColumnarBatch(new ColumnVector[] {numbers});
        private final long to;
        private long next;

        Reader(Range range) {
            next = range.from;
            to = range.to;
        }

        @Override
        public boolean next() {
            int rows = (int) Math.min(ROWS, to - next);
            for (int k = 0; k < rows; k++) {
                numbers.putLong(k, next++);
            }
            batch.setNumRows(rows);
            return rows > 0;
        }

        @Override
        public ColumnarBatch get() {
            return batch;
        }

        @Override
        public void close() {
            batch.close();
        }
    }
}
