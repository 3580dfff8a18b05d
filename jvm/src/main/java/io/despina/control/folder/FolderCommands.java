package io.despina.control.folder;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.protocol.GivenJson;
import io.despina.control.protocol.Refusal;
import io.despina.json.Json;
import io.despina.snapshot.Claim;
import io.despina.snapshot.EpochFacts;
import io.despina.snapshot.FolderFacts;
import io.despina.snapshot.Manifest;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;

/** The commands over state folders, for the gateway. */
public final class FolderCommands {

    private FolderCommands() {
    }

    /**
     * Carries out a command.
     *
     * @param command {@code ls}, {@code check}, {@code gc}, {@code export}, or {@code given_up}, which refuses
     *                a folder that a job uses
     * @param folder  absolute path or URI
     * @param json    {@code {"graph": name, "settings": {Hadoop's}}}, for {@code gc} also {@code "dry_run"}, for
     *                {@code export} {@code "epoch"} (0 for the newest that is whole), {@code "operator"}, {@code "state"} (if
     *                only one is wanted) and {@code "output"}, a path
     * @param clock   nanoseconds, monotonic
     * @param wall    milliseconds since 1970
     * @throws Refusal in words for the user
     */
    public static ObjectNode run(String command, String folder, String json, LongSupplier clock, LongSupplier wall)
            throws Refusal {
        ObjectNode options = GivenJson.parseObject(json, "options");
        Map<String, String> hadoop = new LinkedHashMap<>();
        JsonNode settings = options.path("settings");
        settings.fieldNames().forEachRemaining(each -> hadoop.put(each, settings.get(each).asText()));
        StateFolders folders = StateFolders.at(folder, hadoop);
        List<GraphFolder> wanted = folders.of(options.hasNonNull("graph") ? options.get("graph").asText() : null);
        if (command.equals("export") && wanted.size() > 1) {
            throw new Refusal(StateFolders.RULE, folder + " has the states of several graphs: " + folders.graphs(),
                    "say which with graph");
        }
        try {
            return switch (command) {
                case "ls" -> ls(folders, wanted);
                case "check" -> FolderCheck.of(folders, wanted);
                case "gc" -> new FolderClearing(clock, wall).of(folders, wanted, options.path("dry_run").asBoolean());
                case "given_up" -> new FolderClearing(clock, wall).givenUp(wanted);
                case "export" -> StateExport.of(wanted.get(0), options);
                default -> throw new Refusal("options", "no command `" + command + "` for a state folder", null);
            };
        } catch (IOException problem) {
            throw StateFolders.refused(problem);
        }
    }

    private static ObjectNode ls(StateFolders folders, List<GraphFolder> wanted) throws IOException {
        ObjectNode answer = Json.object().put("folder", folders.address());
        ArrayNode graphs = answer.putArray("graphs");
        for (GraphFolder folder : wanted) {
            FolderFacts facts = folder.state().facts();
            ObjectNode graph = graphs.addObject().put("graph", folder.graph()).put("id", facts.id())
                    .put("path", folder.path());
            ArrayNode attempts = graph.putArray("attempts");
            for (Claim claim : facts.claims()) {
                attempts.addObject().put("attempt", claim.attempt()).put("host", claim.host()).put("pid", claim.pid())
                        .put("claimed_at_ms", claim.claimedAtMillis())
                        .put("from_epoch", claim.start() == null ? null : claim.start().epoch())
                        .put("from_savepoint", claim.start() == null ? null : claim.start().savepoint());
            }
            ArrayNode epochs = graph.putArray("epochs");
            facts.epochs().forEach(each -> epochs.add(epoch(each)));
            ArrayNode savepoints = graph.putArray("savepoints");
            folder.store().list(folder.path() + "savepoints").forEach(savepoints::add);
            FolderNames.addTo(graph.putArray("names"), folder);
        }
        return answer;
    }

    private static ObjectNode epoch(EpochFacts facts) {
        ObjectNode epoch = Json.object().put("epoch", facts.epoch())
                .put("standing", facts.standing().name().toLowerCase(Locale.ROOT)).put("problem", facts.problem());
        Manifest manifest = facts.manifest();
        if (manifest == null) {
            return epoch;
        }
        epoch.put("attempt", manifest.attempt()).put("engine", manifest.origin().engine())
                .put("taken_at_ms", manifest.takenAtMillis())
                .put("bytes", manifest.files().stream().mapToLong(Manifest.DataFile::length).sum());
        ObjectNode operators = epoch.putObject("operators");
        manifest.operators().forEach((id, operator) -> operators.set(id, operator(operator)));
        return epoch;
    }

    private static ObjectNode operator(Manifest.Operator operator) {
        ObjectNode json = Json.object().put("type", operator.type()).put("parallelism", operator.instances().size())
                .put("ended", operator.instances().stream().filter(Manifest.Instance::ended).count())
                .put("bytes", operator.instances().stream().flatMap(each -> each.chain().stream())
                        .mapToLong(Manifest.Piece::bytes).sum());
        ArrayNode states = json.putArray("states");
        operator.states().forEach(state -> states.addObject().put("state", state.name()).put("schema", state.schema()));
        ArrayNode texts = json.putArray("texts");
        operator.instances().forEach(each -> {
            ObjectNode ofInstance = texts.addObject();
            each.texts().forEach((state, named) -> named.forEach(ofInstance.putObject(state)::put));
        });
        return json;
    }
}
