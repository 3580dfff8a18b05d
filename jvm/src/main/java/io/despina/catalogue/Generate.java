package io.despina.catalogue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Generates {@code graphs/graph.schema.json} and pages of {@code docs/reference} from the declarations. {@code make generate}
 * runs it, and then generates Python's operators from the schema.
 */
public final class Generate {
    private Generate() {
    }

    /** Text by path, relative to the project's folder. */
    static Map<String, String> files() {
        Map<String, String> files = new LinkedHashMap<>();
        files.put("graphs/graph.schema.json", Catalogue.DESCRIPTOR.schema());
        Catalogue.DESCRIPTOR.reference().forEach((page, text) -> files.put("docs/reference/" + page, text));
        return files;
    }

    /** @param args the project's folder */
    public static void main(String[] args) throws IOException {
        for (Map.Entry<String, String> file : files().entrySet()) {
            Path path = Path.of(args.length == 0 ? "." : args[0], file.getKey());
            Files.createDirectories(path.getParent());
            Files.writeString(path, file.getValue());
        }
    }
}
