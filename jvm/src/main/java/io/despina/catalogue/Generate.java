package io.despina.catalogue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Generates {@code graphs/graph.schema.json}, pages of {@code docs/reference} and tables of other pages from the declarations.
 * {@code make generate} runs it, and then generates Python's operators from the schema.
 */
public final class Generate {
    private Generate() {
    }

    /** Text by path, relative to the project's folder. */
    static Map<String, String> files(Path folder) throws IOException {
        Map<String, String> files = new LinkedHashMap<>();
        files.put("graphs/graph.schema.json", Catalogue.DESCRIPTOR.schema());
        Catalogue.DESCRIPTOR.reference().forEach((page, text) -> files.put("docs/reference/" + page, text));
        for (String page : PromiseTables.pages()) {
            files.put(page, PromiseTables.within(Files.readString(folder.resolve(page)), page));
        }
        return files;
    }

    /** @param args the project's folder */
    public static void main(String[] args) throws IOException {
        Path folder = Path.of(args.length == 0 ? "." : args[0]);
        for (Map.Entry<String, String> file : files(folder).entrySet()) {
            Path path = folder.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.writeString(path, file.getValue());
        }
    }
}
