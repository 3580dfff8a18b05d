package io.despina.control.folder;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.despina.control.protocol.Refusal;
import io.despina.json.Json;
import io.despina.snapshot.Manifest;
import io.despina.snapshot.Pin;
import io.despina.snapshot.RestoredStates;
import io.despina.state.SectionReader;
import io.despina.state.Sections;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** What an operator kept at the end of an epoch, as lines of JSON. */
final class StateExport {
    private static final String RULE = StateFolders.RULE;

    private StateExport() {
    }

    static ObjectNode of(GraphFolder folder, ObjectNode options) throws IOException, Refusal {
        Manifest wanted = manifest(folder, options.path("epoch").asLong(0));
        Pin pinned = folder.state().pin(wanted.epoch(), Pin.OF_PROCESS);
        try (pinned) {
            return of(folder, manifest(folder, wanted.epoch()), options);
        }
    }

    private static ObjectNode of(GraphFolder folder, Manifest manifest, ObjectNode options) throws IOException, Refusal {
        String id = options.path("operator").asText();
        Manifest.Operator operator = manifest.operators().get(id);
        if (operator == null) {
            throw new Refusal(RULE, "epoch " + manifest.epoch() + " has no operator `" + id + "`",
                    "there are " + String.join(", ", manifest.operators().keySet()));
        }
        String only = options.path("state").asText("");
        List<Manifest.StateType> states = operator.states().stream().filter(each -> only.isEmpty() || each.name().equals(only))
                .toList();
        if (states.isEmpty()) {
            throw new Refusal(RULE, "operator `" + id + "` keeps no state" + (only.isEmpty() ? "" : " `" + only + "`"),
                    operator.states().isEmpty() ? null : "there are " + operator.states().stream().map(Manifest.StateType::name)
                            .collect(Collectors.joining(", ")));
        }
        Path output = Path.of(options.path("output").asText());
        long rows = 0;
        try (BufferedWriter out = Files.newBufferedWriter(output)) {
            List<Sections> instances = new RestoredStates(folder.store(), manifest).of(id);
            for (int k = 0; k < instances.size(); k++) {
                for (Manifest.StateType state : operator.instances().get(k).chain().isEmpty() ? List.<Manifest.StateType>of()
                        : states) {
                    rows += write(instances.get(k), k, state.name(), out);
                }
            }
        }
        return Json.object().put("graph", folder.graph()).put("epoch", manifest.epoch()).put("rows", rows);
    }

    private static long write(Sections sections, int instance, String state, BufferedWriter out) throws IOException {
        long rows = 0;
        try (SectionReader entry = SectionReader.unknown(state, sections)) {
            EntryText text = EntryText.of(entry.head());
            while (entry.next()) {
                out.write("{\"instance\": " + instance + ", \"state\": " + Json.text(TextNode.valueOf(state)) + ", "
                        + text.fields(entry) + "}\n");
                rows++;
            }
        }
        return rows;
    }

    /** @param epoch 0 for the newest that is whole */
    private static Manifest manifest(GraphFolder folder, long epoch) throws IOException, Refusal {
        return epoch > 0 ? folder.state().read(epoch) : DryRun.newest(folder).manifest();
    }
}
