package io.despina.snapshot;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.json.Json;
import io.despina.json.RecordJson;
import io.despina.state.SnapshotException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;

/** A manifest as readable JSON, with the CRC32C of the same JSON without white space. */
final class ManifestText {
    private static final String CONTENT = "manifest";
    private static final String CRC = "crc32c";
    private static final String FORMAT = "format";
    private static final String BUCKETS = "buckets";
    private static final int FIRST_FORMAT = 1;
    private static final int SECOND_FORMAT = 2;
    private static final int SHOWN = 80;

    /** Format 1: a file for each instance. */
    private record First(int format, String engine, String graph, String digest, long epoch, int buckets,
            Map<String, FirstOperator> operators) {
    }

    private record FirstOperator(String type, List<FirstInstance> instances) {
    }

    private record FirstInstance(String file, long length, String crc32c, boolean ended) {
    }

    private ManifestText() {
    }

    static byte[] of(Manifest manifest) {
        return sealed(RecordJson.object(manifest));
    }

    /** @return {@code content} with its checksum beside it */
    static byte[] sealed(ObjectNode content) {
        ObjectNode sealed = Json.object();
        sealed.set(CONTENT, content);
        return Json.readable(sealed.put(CRC, crc(content)));
    }

    private static String crc(JsonNode content) {
        CRC32C crc = new CRC32C();
        crc.update(Json.bytes(content));
        return Integer.toHexString((int) crc.getValue());
    }

    static Manifest parse(String path, byte[] text) throws IOException {
        JsonNode content = content(path, text);
        try {
            int format = content.path(FORMAT).asInt();
            if (format == SECOND_FORMAT && content.get("origin") instanceof ObjectNode origin && !origin.has("given")) {
                origin.putObject("given");     // there was no such thing yet
            }
            if (format == FIRST_FORMAT) {
                return first(RecordJson.read(content, First.class));
            }
            for (JsonNode operator : content.path("operators")) {
                if (operator instanceof ObjectNode of && !of.has(BUCKETS)) {
                    of.putNull(BUCKETS);        // none had moved
                }
            }
            return RecordJson.read(content, Manifest.class);
        } catch (IllegalArgumentException | NullPointerException other) {
            throw new SnapshotException(path + ": the manifest is damaged: " + other.getMessage());
        }
    }

    /** What {@link #sealed} has sealed; verifies it. A later format may be sealed in another way, so that is looked at first. */
    static JsonNode content(String path, byte[] text) throws IOException {
        if (text.length == 0) {
            throw new CutShortException(path + ": the file is empty");
        }
        JsonNode sealed;
        try {
            sealed = Json.tree(text);
        } catch (JsonProcessingException | RuntimeException damaged) {
            String read = new String(text, StandardCharsets.ISO_8859_1).stripTrailing();
            if (!read.endsWith("\n}") && !hasItsEnd(read)) {
                throw new CutShortException(path + ": the file is cut short after " + text.length + " bytes");
            }
            throw new SnapshotException(path + ": the manifest is damaged: "
                    + new String(text, 0, Math.min(text.length, SHOWN), StandardCharsets.UTF_8).replaceAll("\\s+", " "));
        }
        JsonNode content = sealed.path(CONTENT);
        if (content.path(FORMAT).asInt() > Manifest.WITH_BUCKETS) {
            throw new LaterFormatException(path, content.path(FORMAT).asInt());
        }
        String expected = sealed.path(CRC).asText();
        if (!content.isObject() || !crc(content).equals(expected)) {
            throw new SnapshotException(path + ": the manifest is damaged: its CRC32C is " + crc(content) + ", not "
                    + (expected.isEmpty() ? "there" : expected));
        }
        return content;
    }

    /**
     * Whether a text that is no JSON ends as {@link #sealed} ends it, but for a byte that may be damaged. Where the parser gave
     * up does not say that: behind a quotation mark that is damaged, the end is text too.
     */
    private static boolean hasItsEnd(String text) {
        return IntStream.rangeClosed(1, Integer.BYTES * 2).anyMatch(digits -> {
            String end = String.format("%n  \"%s\" : \"%s\"%n}", CRC, "0".repeat(digits));
            int from = text.length() - end.length();
            return from >= 0 && IntStream.range(0, end.length()).filter(k -> end.charAt(k) == '0'
                    ? Character.digit(text.charAt(from + k), 16) < 0 : end.charAt(k) != text.charAt(from + k)).count() <= 1;
        });
    }

    private static Manifest first(First first) {
        List<Manifest.DataFile> files = new ArrayList<>();
        Map<String, Manifest.Operator> operators = new TreeMap<>();
        first.operators.forEach((id, operator) -> {
            List<Manifest.Instance> instances = new ArrayList<>();
            for (FirstInstance each : operator.instances) {
                instances.add(new Manifest.Instance(List.of(new Manifest.Piece(files.size(), each.length)), each.ended,
                        Long.MIN_VALUE, Map.of(), Map.of(), List.of()));
                files.add(new Manifest.DataFile(each.file, each.length, each.crc32c));
            }
            operators.put(id, new Manifest.Operator(operator.type, List.of(), instances));
        });
        return new Manifest(first.format, new Manifest.Origin(first.engine, first.graph, "", first.digest, first.buckets, 0,
                Map.of(), Map.of()), 0, first.epoch, 0, files, operators);
    }
}
