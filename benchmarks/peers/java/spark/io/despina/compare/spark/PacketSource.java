package io.despina.compare.spark;

import io.despina.compare.Presence;
import io.despina.compare.RelayPackets;
import io.despina.compare.Settings;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
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
import org.apache.spark.sql.connector.read.streaming.PartitionOffset;
import org.apache.spark.sql.connector.read.streaming.SupportsRealTimeMode;
import org.apache.spark.sql.connector.read.streaming.SupportsRealTimeRead;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * A source of relay packets, one binary column. A micro-batch holds what is due when it is planned, or {@code batch_packets}
 * where packets go flat out; in real-time mode each packet goes when it is due.
 */
public final class PacketSource implements TableProvider {
    static final StructType SCHEMA = new StructType().add("packet", DataTypes.BinaryType, false);
    private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

    @Override
    public StructType inferSchema(CaseInsensitiveStringMap options) {
        return SCHEMA;
    }

    @Override
    public Table getTable(StructType schema, Transform[] partitioning, Map<String, String> properties) {
        return new Packets();
    }

    private static final class Packets implements Table, SupportsRead {
        @Override
        public String name() {
            return "packets";
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
            Settings settings = Settings.read(options.get("settings"));
            return () -> new Scan() {
                @Override
                public StructType readSchema() {
                    return SCHEMA;
                }

                @Override
                public MicroBatchStream toMicroBatchStream(String checkpoint) {
                    return new Batches(settings);
                }
            };
        }
    }

    /** How many packets there have been. */
    private static final class Count extends Offset implements PartitionOffset {
        private static final long serialVersionUID = 1;

        private final long packets;

        Count(long packets) {
            this.packets = packets;
        }

        @Override
        public String json() {
            return Long.toString(packets);
        }
    }

    /** Packets {@code from} until {@code to}. */
    private record Range(Settings settings, long from, long to, long startNanos) implements InputPartition {
        private static final long serialVersionUID = 1;
    }

    private static final class Batches implements MicroBatchStream, SupportsRealTimeMode {
        private final Settings settings;
        private final double perSecond;
        private final long batch;
        private final long startNanos = System.nanoTime();
        private long planned;

        Batches(Settings settings) {
            this.settings = settings;
            perSecond = settings.real("rate_per_s", 0);
            batch = settings.number("batch_packets", 1_000_000);
        }

        @Override
        public Offset initialOffset() {
            return new Count(0);
        }

        @Override
        public Offset latestOffset() {
            if (perSecond > 0) {
                planned = (long) ((System.nanoTime() - startNanos) / NANOS * perSecond);
            } else if (perSecond == 0) {
                planned += batch;
            }
            return new Count(planned);
        }

        @Override
        public Offset deserializeOffset(String json) {
            return new Count(Long.parseLong(json));
        }

        @Override
        public InputPartition[] planInputPartitions(Offset start, Offset end) {
            return new InputPartition[] {new Range(settings, ((Count) start).packets, ((Count) end).packets, startNanos)};
        }

        @Override
        public InputPartition[] planInputPartitions(Offset start) {
            return new InputPartition[] {new Range(settings, ((Count) start).packets, Long.MAX_VALUE, startNanos)};
        }

        @Override
        public Offset mergeOffsets(PartitionOffset[] offsets) {
            return (Count) offsets[0];
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
        public PartitionReader<InternalRow> createReader(InputPartition partition) {
            return new Reader((Range) partition);
        }
    }

    private static final class Reader implements SupportsRealTimeRead<InternalRow> {
        private final Range range;
        private final double perSecond;
        private final RelayPackets packets;
        private long next;
        private byte[] packet;

        Reader(Range range) {
            this.range = range;
            perSecond = range.settings.real("rate_per_s", 0);
            packets = new RelayPackets(range.settings.number("packet_bytes"), range.from);
            next = range.from;
            Presence.announce(range.settings, "source");
        }

        @Override
        public boolean next() {
            if (next >= range.to) {
                return false;
            }
            make();
            return true;
        }

        @Override
        public RecordStatus nextWithTimeout(Long millis) {
            if (perSecond > 0 && !awaitDue(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis))) {
                return RecordStatus.newStatusWithoutArrivalTime(false);
            }
            make();
            return RecordStatus.newStatusWithoutArrivalTime(true);
        }

        @Override
        public PartitionOffset getOffset() {
            return new Count(next);
        }

        private void make() {
            packet = new byte[packets.packetBytes()];
            packets.next(packet, perSecond > 0 ? dueNanos() : 0);
            next++;
        }

        private long dueNanos() {
            return range.startNanos + (long) (next * NANOS / perSecond);
        }

        /** Whether the next packet was due before the deadline; sleeps until one of them is reached. */
        private boolean awaitDue(long deadlineNanos) {
            long due = dueNanos();
            for (long now = System.nanoTime(); now < due; now = System.nanoTime()) {
                if (now >= deadlineNanos) {
                    return false;
                }
                LockSupport.parkNanos(Math.min(due, deadlineNanos) - now);
            }
            return true;
        }

        @Override
        public InternalRow get() {
            return new GenericInternalRow(new Object[] {packet});
        }

        @Override
        public void close() {
        }
    }
}
