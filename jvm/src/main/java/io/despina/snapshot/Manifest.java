package io.despina.snapshot;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.despina.state.Sections;
import io.despina.state.SnapshotException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/**
 * Names the files that make up a snapshot, as readable JSON. It is written once and never changed. A file that it does not name
 * is not part of the snapshot.
 *
 * @param format    {@link #FORMAT}
 * @param engine    version of the engine that wrote it
 * @param graph     name of the graph
 * @param digest    of the graph's plan
 * @param epoch     number of the snapshot; ascends from 1
 * @param buckets   the graph's number of buckets for keys
 * @param operators by id
 */
public record Manifest(int format, String engine, String graph, String digest, long epoch, int buckets,
        Map<String, Operator> operators) {
    public static final int FORMAT = 1;
    private static final int LONGEST = 64 << 20;
    private static final ObjectMapper JSON = JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES, DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .disable(com.fasterxml.jackson.databind.MapperFeature.ALLOW_COERCION_OF_SCALARS).build();

    public Manifest {
        operators = new TreeMap<>(operators);
    }

    /**
     * One operator.
     *
     * @param type      as in the graph file
     * @param instances in order; as many as the parallelism at that time
     */
    public record Operator(String type, List<Instance> instances) {
        public Operator {
            instances = List.copyOf(instances);
        }
    }

    /**
     * The file of one instance.
     *
     * @param file   path in the store
     * @param length of the file, in bytes
     * @param crc32c of the file, in hexadecimal
     * @param ended  whether its inputs had ended
     */
    public record Instance(String file, long length, String crc32c, boolean ended) {

        public static Instance of(String file, SnapshotFile.Summary summary, boolean ended) {
            return new Instance(file, summary.length(), Integer.toHexString(summary.crc32c()), ended);
        }

        private SnapshotFile.Summary summary() throws SnapshotException {
            try {
                return new SnapshotFile.Summary(length, Integer.parseUnsignedInt(crc32c, 16));
            } catch (NumberFormatException e) {
                throw new SnapshotException(file + ": the manifest has `" + crc32c + "` as its CRC32C");
            }
        }
    }

    /** The manifest with its checksum. */
    private record Sealed(@JsonProperty("manifest") Manifest manifest, @JsonProperty("crc32c") String crc32c) {
    }

    /**
     * Writes the manifest, unless one exists at that path.
     *
     * @return whether it was written
     */
    public boolean create(SnapshotStore store, String path) throws IOException {
        return store.createIfAbsent(path, JSON.writeValueAsBytes(new Sealed(this, crc(this))));
    }

    private static String crc(Manifest manifest) throws JsonProcessingException {
        CRC32C crc = new CRC32C();
        crc.update(JSON.writer().without(SerializationFeature.INDENT_OUTPUT).writeValueAsBytes(manifest));
        return Integer.toHexString((int) crc.getValue());
    }

    /**
     * Reads a manifest.
     *
     * @throws SnapshotException if it is damaged, or of another format
     */
    public static Manifest read(SnapshotStore store, String path) throws IOException {
        byte[] text;
        try (InputStream in = store.open(path, 0)) {
            text = in.readNBytes(LONGEST);
        }
        Sealed sealed;
        try {
            int format = JSON.readTree(text).path("manifest").path("format").asInt();
            if (format != FORMAT) {
                throw new SnapshotException(path + ": format " + format + "; this engine reads " + FORMAT);
            }
            sealed = JSON.readValue(text, Sealed.class);
        } catch (JsonProcessingException | RuntimeException damaged) {
            throw new SnapshotException(path + ": the manifest is damaged: "
                    + new String(text, 0, Math.min(text.length, 80), StandardCharsets.UTF_8).replaceAll("\\s+", " "));
        }
        if (!crc(sealed.manifest).equals(sealed.crc32c)) {
            throw new SnapshotException(path + ": the manifest is damaged: its CRC32C is " + crc(sealed.manifest) + ", not "
                    + sealed.crc32c);
        }
        return sealed.manifest;
    }

    /**
     * The sections of an operator's instances, in order. Verifies that every file is intact.
     *
     * @throws SnapshotException if the snapshot has no such operator, or a file is damaged
     */
    public List<Sections> sections(SnapshotStore store, String operator) throws IOException {
        Operator of = operators.get(operator);
        if (of == null) {
            throw new SnapshotException("operator `" + operator + "` is not in the snapshot; there are " + operators.keySet());
        }
        List<Sections> sections = new ArrayList<>();
        for (Instance instance : of.instances) {
            sections.add(SnapshotFile.open(store, instance.file, instance.summary()));
        }
        return sections;
    }
}
