package io.despina.descriptor;

import java.util.List;
import java.util.function.Supplier;

/** What a field of the graph file may hold. The checker, the JSON schema and the reference page read it. */
public sealed interface FieldKind {

    /**
     * Text in which parameters are filled in.
     *
     * @param mostBytes as UTF-8, after filling in
     */
    record Text(int mostBytes) implements FieldKind {
        Text() {
            this(Integer.MAX_VALUE);
        }
    }

    /** Text for people: parameters are not filled in. */
    record Doc() implements FieldKind {
    }

    /** A whole number, bounds included. {@code "${n}"} may stand for it. */
    record Whole(long min, long max) implements FieldKind {
    }

    /** A number. {@code "${n}"} may stand for it. */
    record Real(double min, boolean minExcluded) implements FieldKind {
    }

    /** true or false. {@code "${n}"} may stand for it. */
    record Flag() implements FieldKind {
    }

    /** One of some words. */
    record Words(List<Word> words) implements FieldKind {
        public Words {
            words = List.copyOf(words);
        }

        public List<String> names() {
            return words.stream().map(Word::name).toList();
        }
    }

    record Word(String name, String doc) {
    }

    /** Spark SQL text: a string, or an array of lines. */
    record Expression() implements FieldKind {
    }

    /**
     * A schema as Spark DDL.
     *
     * @param defaults whether columns may have a DEFAULT: those of a source's records
     * @param word     what may stand in its place; null for nothing
     */
    record Ddl(boolean defaults, String word) implements FieldKind {
        public Ddl(boolean defaults) {
            this(defaults, null);
        }
    }

    /** An array. */
    record ListOf(FieldKind item, int min) implements FieldKind {
    }

    /**
     * An object whose keys the author chooses.
     *
     * @param keyPattern a regular expression that every key matches, or null
     * @param keyDoc     what a key is
     * @param names      keys that mean something, in upper or lower case; one that ends in a dot begins many. Empty if all do
     */
    record MapOf(String keyPattern, String keyDoc, FieldKind value, List<String> names) implements FieldKind {
        public MapOf {
            names = List.copyOf(names);
        }

        public MapOf(String keyPattern, String keyDoc, FieldKind value) {
            this(keyPattern, keyDoc, value, List.of());
        }

        /** The key of {@link #names} that is meant, {@code timestampFormat} by {@code timestamp_format} too; or null. */
        String known(String key) {
            String plain = key.replace("_", "");
            return names.stream().filter(plain::equalsIgnoreCase).findFirst()
                    .orElse(names.stream().anyMatch(n -> n.endsWith(".") && key.startsWith(n)) ? key : null);
        }
    }

    /** An object of declared fields. */
    record Fields(Section section) implements FieldKind {
    }

    /** An object whose {@code type} selects the section of its fields. */
    record Variant(String name, List<Section> sections) implements FieldKind {
        public Variant {
            sections = List.copyOf(sections);
        }

        /** The section of that word, or null. */
        public Section section(String word) {
            return sections.stream().filter(s -> s.name().equals(word)).findFirst().orElse(null);
        }

        public List<String> names() {
            return sections.stream().map(Section::name).toList();
        }
    }

    /** For a kind that contains itself: resolved when it is used. */
    record Later(String name, Supplier<FieldKind> kind) implements FieldKind {
    }

    /**
     * An object of the file and its fields, in the order of the canonical form.
     *
     * @param name the section's name; in a {@link Variant} the word that {@code type} holds
     * @param doc  one line or a few
     */
    record Section(String name, String doc, List<FieldSpec> fields) {

        public Section {
            fields = List.copyOf(fields);
        }

        public static Section of(String name, String doc, FieldSpec... fields) {
            return new Section(name, doc, List.of(fields));
        }

        /** The field of that name, or null. */
        public FieldSpec field(String name) {
            return fields.stream().filter(f -> f.name().equals(name)).findFirst().orElse(null);
        }

        public List<String> names() {
            return fields.stream().map(FieldSpec::name).toList();
        }
    }
}
