package io.despina.compare.spark;

import io.despina.compare.Arrivals;
import io.despina.compare.Presence;
import io.despina.compare.Settings;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.ForeachWriter;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.Trigger;

/**
 * The driver of a run: {@code SETTINGS}. In micro-batches the relay is a shuffle between the stage that makes packets and the
 * stage that takes them, one stage after the other. In real-time mode all stages run at once, so that it is a stage of its own
 * between two shuffles.
 */
public final class Submit {
    private Submit() {
    }

    public static void main(String[] args) throws Exception {
        Settings settings = Settings.read(args[0]);
        SparkSession spark = SparkSession.builder().getOrCreate();
        Dataset<byte[]> packets = spark.readStream().format(PacketSource.class.getName()).option("settings", args[0]).load()
                .as(Encoders.BINARY()).repartition(1);
        boolean realTime = settings.text("trigger", "").equals("real-time");
        Dataset<byte[]> relayed = realTime ? packets.map(new Relay(settings), Encoders.BINARY()).repartition(1) : packets;
        relayed.writeStream().foreach(new Sink(settings)).outputMode("update")
                .trigger(realTime ? Trigger.RealTime() : Trigger.ProcessingTime(0))
                .option("checkpointLocation", settings.folder().resolve("checkpoint").toString()).start().awaitTermination();
    }

    /** Passes each packet on. */
    static final class Relay implements MapFunction<byte[], byte[]> {
        private static final long serialVersionUID = 1;

        private final Settings settings;
        private transient boolean announced;

        Relay(Settings settings) {
            this.settings = settings;
        }

        @Override
        public byte[] call(byte[] packet) {
            if (!announced) {
                announced = true;
                Presence.announce(settings, "relay");
            }
            return packet;
        }
    }

    /** Made anew for every batch and task; what counts lives as long as the process. */
    static final class Sink extends ForeachWriter<byte[]> {
        private static final long serialVersionUID = 1;
        private static Arrivals arrivals;

        private final Settings settings;

        Sink(Settings settings) {
            this.settings = settings;
        }

        @Override
        public boolean open(long partition, long epoch) {
            synchronized (Sink.class) {
                if (arrivals == null) {
                    arrivals = new Arrivals(settings);
                }
            }
            return true;
        }

        @Override
        public void process(byte[] packet) {
            arrivals.accept(packet);
        }

        @Override
        public void close(Throwable error) {
        }
    }
}
