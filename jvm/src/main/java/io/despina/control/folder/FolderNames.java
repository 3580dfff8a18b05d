package io.despina.control.folder;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.operator.KeptNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The names under which servers know the instances of a graph's operators, as they lie beside their logs. */
final class FolderNames {

    private FolderNames() {
    }

    /** Adds them, in the order of operators and instances; none where the folder is no disk of this machine. */
    static void addTo(ArrayNode all, GraphFolder folder) throws IOException {
        Path local = folder.store().local();
        Path logs = local == null ? null : local.resolve(folder.state().paths().logs());
        if (logs == null || !Files.isDirectory(logs)) {
            return;
        }
        for (Path operator : sorted(logs)) {
            for (Path instance : sorted(operator)) {
                String text = instance.getFileName().toString();
                if (text.matches("\\d{1,9}")) {
                    add(all, operator.getFileName().toString(), Integer.parseInt(text), instance);
                }
            }
        }
    }

    private static void add(ArrayNode all, String operator, int instance, Path at) throws IOException {
        String session = KeptNames.read(at, KeptNames.SESSION);
        String outbox = KeptNames.read(at, KeptNames.OUTBOX);
        if (session != null || outbox != null) {
            ObjectNode one = all.addObject().put("operator", operator).put("instance", instance);
            one.put("kind", session != null ? "session" : "outbox");
            one.put("name", session != null ? KeptNames.session(session, operator, instance) : outbox);
        }
    }

    private static List<Path> sorted(Path folder) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(Files::isDirectory).sorted((one, other) -> {
                String a = one.getFileName().toString();
                String b = other.getFileName().toString();
                return a.length() == b.length() || !Character.isDigit(a.charAt(0)) ? a.compareTo(b)
                        : Integer.compare(a.length(), b.length());
            }).toList();
        }
    }
}
