package io.despina.spark.sink;

import io.despina.control.protocol.Refusal;
import io.despina.control.staging.StageClient;
import io.despina.control.visit.RequestWire;
import io.despina.expr.catalyst.row.SparkTypes;
import io.despina.packet.Schema;
import io.despina.spark.job.GivenOptions;
import io.despina.spark.job.PacketColumns;
import io.despina.wire.Wire;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.util.Map;
import org.apache.spark.sql.ForeachWriter;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.CatalystTypeConverters;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import scala.Function1;

/**
 * Gives rows to a source of a running job as they come, for real-time mode: {@code df.writeStream().foreach(
 * JobWriter.of(options))}. They are seen at once, so what Spark repeats comes again. Made in the driver; used in tasks, each by
 * one thread.
 */
public final class JobWriter extends ForeachWriter<Row> {
    private static final long serialVersionUID = 1L;

    private final String source;
    private final StageTarget target;
    private final PacketColumns packets;

    // of a task, null before
    private transient Wire wire;
    private transient StageClient client;
    private transient RowSender sender;
    private transient Function1<Object, Object> toCatalyst;
    private transient long partition;

    private JobWriter(String source, StageTarget target, Schema packets) {
        this.source = source;
        this.target = target;
        this.packets = new PacketColumns(packets);
    }

    /**
     * Asks the job where its rows go.
     *
     * @param options {@code job}, {@code input}, {@code secretFile} and {@code tls}, as for writing epochs
     * @throws IllegalArgumentException if the job is not there, or has no such source
     */
    public static JobWriter of(Map<String, String> options) {
        SinkOptions read = SinkOptions.of(new CaseInsensitiveStringMap(options));
        if (read.job() == null) {
            throw GivenOptions.refused(new Refusal("option", "rows as they come are for a job that runs: option `job` is needed",
                    "despina run GRAPH --job-file FILE"));
        }
        try (JobInput input = JobInput.open(read)) {
            return new JobWriter(read.toString(), input.target(), input.schema());
        }
    }

    @Override
    public boolean open(long partitionId, long epochId) {
        partition = partitionId;
        return true;
    }

    @Override
    public void process(Row row) {
        try {
            if (sender == null) {
                begin(row.schema());
            }
            sender.add((InternalRow) toCatalyst.apply(row));
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }

    private void begin(StructType rows) throws IOException {
        Schema schema = packets.schema();
        int[] ordinals = ColumnMatch.ordinals(source, rows, SparkTypes.struct(schema));
        toCatalyst = CatalystTypeConverters.createToCatalystConverter(rows);
        wire = RequestWire.open(target.job(), target.secret(), target.tls());
        client = target.connect(wire, target.instance(partition));
        sender = new RowSender(client, new Pieces(schema, ordinals));
        sender.start();
    }

    /** Waits until all rows have arrived, unless the task has failed. */
    @Override
    public void close(Throwable failure) {
        try {
            if (sender != null) {
                sender.end(failure == null);
            }
        } catch (InterruptedIOException e) {
            throw new UncheckedIOException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        } finally {
            if (client != null) {
                client.close();
            }
            if (wire != null) {
                wire.close();
            }
            sender = null;
            client = null;
            wire = null;
        }
    }
}
