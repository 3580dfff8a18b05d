package io.despina.operator.record;

import io.despina.descriptor.Ddl;
import io.despina.packet.Schema;
import io.despina.spec.FileFormat;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Records of a tag, five numbers and a time, into packets. */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class LineBenchmark {
    private static final int LINES = 1000;
    private static final String COLUMNS = "time TIMESTAMP, host STRING, a DOUBLE, b DOUBLE, c BIGINT, d BIGINT, e DOUBLE";

    @Param({"influx", "csv", "avro"})
    public String format;
    /** As the columns, but a host may be null. */
    private static final String WRITER = """
            {"type": "record", "name": "r", "fields": [
            {"name": "time", "type": {"type": "long", "logicalType": "timestamp-micros"}},
            {"name": "host", "type": ["null", "string"]}, {"name": "a", "type": "double"}, {"name": "b", "type": "double"},
            {"name": "c", "type": "long"}, {"name": "d", "type": "long"}, {"name": "e", "type": "double"}]}
            """;
    private final Line[] lines = new Line[LINES];
    private RecordDecoder decoder;
    private ScratchPackets rows;

    private record Line(byte[] bytes) implements RecordView {
        @Override
        public int start() {
            return 0;
        }

        @Override
        public int end() {
            return bytes.length;
        }

        @Override
        public String where() {
            return "a line";
        }

        @Override
        public RecordReader reader() {
            return null;
        }
    }

    @Setup
    public void make() throws Ddl.DdlException, IOException {
        Schema schema = Ddl.parse(COLUMNS);
        FileFormat of = FileFormat.valueOf(format.toUpperCase(Locale.ROOT));
        Map<String, String> options = of == FileFormat.AVRO ? Map.of("avroSchema", WRITER) : Map.of();
        RecordFormat.Read records = new RecordFormat.Read(of, options, schema, schema.size(), false, Set.of(), "UTC", true);
        decoder = new RecordDecoder(records, null, options -> {
                    throw new IllegalStateException("these lines need no parser of Spark's");
                }, (why, record) -> {
                    throw new IllegalStateException(why);
                });
        rows = new ScratchPackets(schema);
        for (int k = 0; k < LINES; k++) {
            if (of == FileFormat.AVRO) {
                lines[k] = new Line(avro(k));
                continue;
            }
            String line = of == FileFormat.INFLUX
                    ? String.format("cpu,host=device-%d a=%d.%d,b=0.25,c=%di,d=17i,e=-3.5e2 %d", k % 100, k, k % 10, 100L * k,
                            1_700_000_000_000_000_000L + 1_000_000L * k)
                    : String.format("2026-01-01T00:%02d:%02d.%03dZ,device-%d,%d.%d,0.25,%d,17,-350.0", k / 60 % 60, k % 60,
                            k % 1000, k % 100, k, k % 10, 100L * k);
            lines[k] = new Line(line.getBytes(StandardCharsets.UTF_8));
        }
    }

    private static byte[] avro(int k) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        BinaryEncoder out = EncoderFactory.get().directBinaryEncoder(bytes, null);
        out.writeLong(1_767_225_600_000_000L + 1_000L * k);
        out.writeIndex(1);
        out.writeString("device-" + k % 100);
        out.writeDouble(k + k % 10 / 10.0);
        out.writeDouble(0.25);
        out.writeLong(100L * k);
        out.writeLong(17);
        out.writeDouble(-350);
        return bytes.toByteArray();
    }

    @Benchmark
    @OperationsPerInvocation(LINES)
    public long decode() throws Exception {
        rows.clear();
        for (Line line : lines) {
            decoder.decode(line, rows);
        }
        return rows.bytes();
    }
}
