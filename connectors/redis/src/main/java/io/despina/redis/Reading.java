package io.despina.redis;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.RefusedException;
import io.despina.redis.EntryBatch.Entry;
import io.despina.redis.StreamPlace.Known;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * Asks for entries of a stream, and what the server has dropped there, at once, so that no gap is missed. XREAD bounds how many
 * entries it gives, and not their bytes, so a script takes a few at a time until it has enough.
 */
final class Reading {
    /** KEYS: the stream. ARGV: behind which entry, how many bytes are enough, how many entries, how many it takes at a time. */
    private static final byte[] SCRIPT = """
            local info = redis.pcall('XINFO', 'STREAM', KEYS[1])
            if info.err then
              if string.find(info.err, 'no such key', 1, true) then return {} end
              return info
            end
            local of = {}
            for k = 1, #info, 2 do of[info[k]] = info[k + 1] end
            local first = of['first-entry'] and of['first-entry'][1] or ''
            local removed, added = of['max-deleted-entry-id'] or '0-0', of['entries-added'] or -1
            local about = {first, of['last-generated-id'], removed, added, of['length']}
            local found, bytes, from = {}, 0, '(' .. ARGV[1]
            local enough, most, step = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
            while bytes < enough and #found < most do
              local some = redis.call('XRANGE', KEYS[1], from, '+', 'COUNT', math.min(step, most - #found))
              for _, entry in ipairs(some) do
                found[#found + 1] = entry
                for _, part in ipairs(entry[2]) do bytes = bytes + #part end
                from = '(' .. entry[1]
              end
              if #some < step then break end
            end
            return {about, found}
            """.getBytes(StandardCharsets.US_ASCII);
    private static final int MOST = 1_000;
    private static final long MOST_STEP = 64;
    /** Part of the buffer for what is asked for at once. */
    private static final long PARTS = 4;

    /** An answer. @param entries in order */
    record Found(Known known, List<Entry> entries) {
    }

    private final ConnectorSettings settings;
    private final String enough;
    private final String step;

    Reading(ConnectorSettings settings) {
        this.settings = settings;
        long bytes = settings.whole("buffer_bytes") / PARTS;
        enough = Long.toString(bytes);
        step = Long.toString(Math.max(1, Math.min(MOST_STEP, bytes / settings.whole("max_record_bytes"))));
    }

    /** What a server has of a stream. */
    Known known(Link link, String stream) throws IOException {
        try {
            return ask(link, stream, EntryId.NONE, 0).known;
        } catch (RefusedException why) {
            throw new RefusedException("`streams` " + stream + ": " + why.getMessage(), why);
        }
    }

    /** Some entries behind that one: none, if there are none. */
    Found behind(Link link, StreamPlace place) throws IOException {
        return ask(link, place.stream, place.at, MOST);
    }

    private Found ask(Link link, String stream, EntryId at, int most) throws IOException {
        link.send(Command.EVAL, SCRIPT, bytes("1"), bytes(stream), at.bytes(), bytes(enough), bytes(Integer.toString(most)),
                bytes(step));
        Object told = link.read(1).get(0);
        if (told instanceof JedisDataException why) {
            throw Words.refused(settings, why);
        }
        List<?> answer = (List<?>) told;
        if (answer.isEmpty()) {
            return new Found(Known.MISSING, List.of());
        }
        List<Entry> entries = new ArrayList<>();
        for (Object each : (List<?>) answer.get(1)) {
            List<?> parts = (List<?>) each;
            List<byte[]> fields = new ArrayList<>();
            ((List<?>) parts.get(1)).forEach(part -> fields.add((byte[]) part));
            entries.add(new Entry(EntryId.of(parts.get(0)), fields));
        }
        return new Found(Known.of((List<?>) answer.get(0)), entries);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
