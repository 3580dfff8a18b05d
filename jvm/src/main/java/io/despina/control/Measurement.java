package io.despina.control;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.module.SimpleModule;
import io.despina.metrics.JobSnapshot;
import io.despina.metrics.ResourceSnapshot;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Set;
import org.HdrHistogram.Histogram;

/**
 * What one resource has measured of a job, since it was deployed or since its warm-up ended.
 *
 * @param process           null if it was not looked up: then this is without latencies too, and both are as they were before
 * @param queuedBytes       per link, at its sending ends here, now
 * @param pausedLinks       whose senders have waited for room since the measurement before
 * @param firstPacketMillis wall clock when the first packet reached a sink of this resource; {@link #NONE} before
 */
public record Measurement(JobSnapshot job, ResourceSnapshot process, Map<String, Long> queuedBytes, Set<String> pausedLinks,
        long firstPacketMillis) {
    static final long NONE = -1;

    /** This one, with what it lacks from the one before. */
    Measurement after(Measurement before) {
        return process != null ? this : new Measurement(new JobSnapshot(job.operators(), job.links(), before.job.latency()),
                before.process, queuedBytes, pausedLinks, firstPacketMillis);
    }

    /** Histograms travel in their own form, in which what was not counted takes next to no bytes. */
    static SimpleModule histograms() {
        return new SimpleModule("histograms")
                .addSerializer(Histogram.class, new JsonSerializer<Histogram>() {
                    /** Guarded by this: as large as the largest histogram could need, which is hundreds of kilobytes. */
                    private ByteBuffer encoded = ByteBuffer.allocate(0);

                    @Override
                    public synchronized void serialize(Histogram value, JsonGenerator out, SerializerProvider provider)
                            throws IOException {
                        encoded.clear();
                        if (encoded.capacity() < value.getNeededByteBufferCapacity()) {
                            encoded = ByteBuffer.allocate(value.getNeededByteBufferCapacity());
                        }
                        int length = value.encodeIntoByteBuffer(encoded);
                        out.writeBinary(encoded.array(), 0, length);
                    }
                })
                .addDeserializer(Histogram.class, new JsonDeserializer<Histogram>() {
                    @Override
                    public Histogram deserialize(JsonParser in, DeserializationContext context) throws IOException {
                        try {
                            return Histogram.decodeFromByteBuffer(ByteBuffer.wrap(in.getBinaryValue()), 0);
                        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException | BufferUnderflowException e) {
                            throw new IOException("malformed histogram", e);
                        }
                    }
                });
    }
}
