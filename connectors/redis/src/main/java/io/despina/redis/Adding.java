package io.despina.redis;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.LostException;
import io.despina.connect.RefusedException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * Adds rows, all of them or none. A transaction of Redis is not undone when a command fails in it, and a key that others write
 * too cannot be watched. So the server runs a script: nothing happens at the server meanwhile, and it looks at every key before
 * it writes.
 */
final class Adding {
    /** As many rows are added at once, about; or that have so many arguments: a command of Redis has at most 1,048,576. */
    static final int ROWS = 1_000;
    static final int ARGUMENTS = 1 << 19;
    /**
     * KEYS: streams, and the key of the mark if there is one. ARGV: whether there is one, what it must be, what it becomes; then
     * for each row the index of its stream, how many arguments follow, and those.
     */
    private static final byte[] SCRIPT = ascii("""
            local marked, streams = ARGV[1] == '1', #KEYS
            local mark = KEYS[streams]
            if marked then
              streams = streams - 1
              local now = redis.pcall('GET', mark)
              if type(now) == 'table' then return {'refused', now.err} end
              if (now or '') ~= ARGV[2] then return {'mark'} end
            end
            local others = {}
            for k = 1, streams do
              local kind = redis.call('TYPE', KEYS[k]).ok
              if kind ~= 'stream' and kind ~= 'none' then
                others[#others + 1] = k
                others[#others + 1] = kind
              end
            end
            if #others > 0 then return {'keys', others} end
            if marked and ARGV[2] ~= ARGV[3] then
              local done = redis.pcall('SET', mark, ARGV[3])
              if done.err then return {'refused', done.err} end
            end
            local ids, at = {}, 4
            while at <= #ARGV do
              local key, count = KEYS[tonumber(ARGV[at])], tonumber(ARGV[at + 1])
              local id = redis.pcall('XADD', key, unpack(ARGV, at + 2, at + 1 + count))
              if type(id) == 'table' then
                for k = #ids, 1, -1 do redis.call('XDEL', ids[k][1], ids[k][2]) end
                if marked and ARGV[2] ~= ARGV[3] then
                  if ARGV[2] == '' then redis.call('DEL', mark) else redis.call('SET', mark, ARGV[2]) end
                end
                return {'row', #ids, id.err}
              end
              ids[#ids + 1] = {key, id}
              at = at + 2 + count
            end
            return {'done'}
            """);
    private static final byte[] NO = {'0'};
    private static final byte[] YES = {'1'};
    private static final byte[] NOTHING = {};

    /** Takes a row that cannot be added. */
    interface LeftOut {
        void take(Added row, String why) throws IOException;
    }

    /**
     * A mark that is written with the rows.
     *
     * @param key    where it is
     * @param before what it must be now; the rows are not added if it is something else
     * @param then   what it is then
     */
    record Marked(byte[] key, Mark before, Mark then) {
    }

    private final ConnectorSettings settings;
    private final LeftOut leftOut;

    Adding(ConnectorSettings settings, LeftOut leftOut) {
        this.settings = settings;
        this.leftOut = leftOut;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Refuses a sink whose one key is something else. */
    static void refuseOther(ConnectorSettings settings, Link link) throws IOException {
        if (settings.has("stream")) {
            String stream = settings.text("stream");
            String kind = text(link.ask(Command.TYPE, stream));
            if (!kind.equals("stream") && !kind.equals("none")) {
                throw new RefusedException("`stream`: " + other(stream, kind), null);
            }
        }
    }

    private static String other(String key, String kind) {
        return "the key `" + key + "` is no stream: it holds a " + kind;
    }

    private static String text(Object answer) {
        return answer instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : String.valueOf(answer);
    }

    /**
     * Adds rows in their order. Blocks.
     *
     * @param rows   those that are left out are taken away from it
     * @param marked null for rows without a mark
     * @throws LostException if the mark is another one, or the server does not answer
     */
    void add(Link link, List<Added> rows, Marked marked) throws IOException {
        while (!isDone(link, rows, marked, true)) {
            continue;       // without those that were left out
        }
    }

    /** Leaves out rows that could not be added, and adds none. @param rows as of {@link #add} */
    void look(Link link, List<Added> rows) throws IOException {
        while (!isDone(link, rows, null, false)) {
            continue;       // without those that were left out
        }
    }

    private boolean isDone(Link link, List<Added> rows, Marked marked, boolean adds) throws IOException {
        if (rows.isEmpty() && marked == null) {
            return true;
        }
        Map<String, Integer> keys = new LinkedHashMap<>();
        rows.forEach(each -> keys.putIfAbsent(each.stream(), keys.size() + 1));
        link.send(Command.EVAL, arguments(keys, adds ? rows : List.of(), marked));
        Object told = link.read(1).get(0);
        if (told instanceof JedisDataException why) {
            throw Words.refused(settings, why);
        }
        List<?> answer = (List<?>) told;
        switch (text(answer.get(0))) {
            case "done" -> {
                return true;
            }
            case "mark" -> throw new LostException("another attempt of the job, or another job, has changed the key `"
                    + text(marked.key) + "`", null);
            case "keys" -> leaveOut(rows, List.copyOf(keys.keySet()), (List<?>) answer.get(1));
            case "row" -> {
                JedisDataException why = new JedisDataException(text(answer.get(2)));
                if (!Words.isOfRow(why)) {
                    throw Words.refused(settings, why);
                }
                Added row = rows.remove(Math.toIntExact((Long) answer.get(1)));
                leftOut.take(row, "Redis does not take the entry for stream `" + row.stream() + "`: " + why.getMessage());
            }
            default -> throw Words.refused(settings, new JedisDataException(text(answer.get(1))));
        }
        return false;
    }

    private static byte[][] arguments(Map<String, Integer> keys, List<Added> rows, Marked marked) {
        List<byte[]> all = new ArrayList<>();
        all.add(SCRIPT);
        all.add(ascii(Integer.toString(keys.size() + (marked == null ? 0 : 1))));
        keys.keySet().forEach(each -> all.add(each.getBytes(StandardCharsets.UTF_8)));
        if (marked != null) {
            all.add(marked.key);
        }
        all.add(marked == null ? NO : YES);
        all.add(marked == null ? NOTHING : marked.before.bytes());
        all.add(marked == null ? NOTHING : marked.then.bytes());
        for (Added each : rows) {
            all.add(ascii(keys.get(each.stream()).toString()));
            all.add(ascii(Integer.toString(each.arguments().length)));
            all.addAll(List.of(each.arguments()));
        }
        return all.toArray(byte[][]::new);
    }

    /** @param others index of a key, what it holds, index, and so on */
    private void leaveOut(List<Added> rows, List<String> keys, List<?> others) throws IOException {
        Map<String, String> kinds = new LinkedHashMap<>();
        for (int k = 0; k < others.size(); k += 2) {
            kinds.put(keys.get(Math.toIntExact((Long) others.get(k)) - 1), text(others.get(k + 1)));
        }
        List<Added> out = rows.stream().filter(each -> kinds.containsKey(each.stream())).toList();
        rows.removeIf(each -> kinds.containsKey(each.stream()));
        for (Added each : out) {
            leftOut.take(each, other(each.stream(), kinds.get(each.stream())));
        }
    }
}
