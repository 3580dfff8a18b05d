package io.despina.operator.control;

import com.fasterxml.jackson.databind.JsonNode;
import io.despina.json.Json;
import io.despina.state.NamedEntries;
import io.despina.state.SnapshotException;
import io.despina.state.State;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The commands that came and are not answered, in order; a snapshot has them. */
final class PendingCommands {
    /** More are refused: to take them is not to wait, for a {@code sync} must pass the operator that has asked for it. */
    static final int MOST = 256;
    /** The most characters of a command, so that it fits into a snapshot's text whatever they are. */
    static final int LONGEST = 4_000;
    private static final int BYTES_OF_COMMAND = 64;

    /** Of one packet. Empty where the packet has NULL or nothing. */
    record Wanted(String command, String operator, String argument) {

        int length() {
            return command.length() + operator.length() + argument.length();
        }
    }

    private final ArrayDeque<Wanted> waiting = new ArrayDeque<>();
    private final NamedEntries state = new NamedEntries("commands", this::texts);
    private long characters;

    List<State> states() {
        return List.of(state);
    }

    long bytes() {
        return 2 * characters + BYTES_OF_COMMAND * (long) waiting.size();
    }

    int size() {
        return waiting.size();
    }

    boolean isFull() {
        return waiting.size() >= MOST;
    }

    void add(Wanted wanted) {
        waiting.add(wanted);
        characters += wanted.length();
    }

    /** The first, or null. */
    Wanted first() {
        return waiting.peek();
    }

    void removeFirst() {
        characters -= waiting.remove().length();
    }

    private Map<String, String> texts() {
        Map<String, String> texts = new LinkedHashMap<>();
        for (Wanted each : waiting) {
            texts.put(Integer.toString(texts.size()), Json.text(Json.object().put("command", each.command)
                    .put("operator", each.operator).put("argument", each.argument)));
        }
        return texts;
    }

    /** Those of the instances before whose place this one has. */
    void restored(int instance, int parallelism) throws IOException {
        List<Map<String, String>> writers = state.restored();
        for (int writer = instance; writer < writers.size(); writer += parallelism) {
            Map<String, String> texts = writers.get(writer);
            for (int k = 0; k < texts.size(); k++) {
                String text = texts.get(Integer.toString(k));
                if (text == null) {
                    throw new SnapshotException("state `commands` has no command " + k);
                }
                JsonNode read = Json.tree(text);
                add(new Wanted(read.path("command").asText(), read.path("operator").asText(),
                        read.path("argument").asText()));
            }
        }
    }
}
