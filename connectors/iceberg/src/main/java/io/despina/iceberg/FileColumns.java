package io.despina.iceberg;

import io.despina.connect.LakeReader;
import io.despina.connect.RefusedException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.mapping.MappedField;
import org.apache.iceberg.mapping.NameMapping;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types.NestedField;

/**
 * Names of columns in one file, found by the table's ids for them: a column may have been renamed since, and another have got its
 * name.
 *
 * @param title   of the table, for messages
 * @param columns of the table that are read
 * @param names   for files without ids; null if the table has none
 */
record FileColumns(String title, List<NestedField> columns, NameMapping names, InputFile file) implements LakeReader.Names {

    @Override
    public List<String> load() throws IOException {
        Footer.Node root;
        try {
            root = Footer.read(file);
        } catch (FileNotFoundException gone) {
            throw gone;
        } catch (IOException | RuntimeException why) {
            throw Words.of(title, why);
        }
        boolean hasIds = root.hasIds();
        if (!hasIds && names == null) {
            throw refused("has no ids of columns, and the table has no names for such files (schema.name-mapping.default)");
        }
        try {
            return found(root, hasIds ? (field, in) -> in.child(field.fieldId()) : this::mapped);
        } catch (IndexOutOfBoundsException less) {
            throw refused("has a list or a map without what is in it");
        }
    }

    private List<String> found(Footer.Node root, Finding finding) throws RefusedException {
        List<String> found = new ArrayList<>();
        for (NestedField each : columns) {
            Footer.Node node = finding.in(each, root);
            if (node != null && isRenamedWithin(each.type(), node, finding)) {
                throw refused("has other names for what is within `" + each.name() + "`, which is not read yet");
            }
            found.add(node == null ? null : node.name());
        }
        return found;
    }

    private RefusedException refused(String why) {
        return new RefusedException(title + ": " + file.location() + " " + why, null);
    }

    /** Finds a field in a file. */
    private interface Finding {
        /** Null if it is not there. */
        Footer.Node in(NestedField field, Footer.Node group);
    }

    private Footer.Node mapped(NestedField of, Footer.Node group) {
        MappedField field = names.find(of.fieldId());
        return field == null ? null : field.names().stream().map(group::child).filter(each -> each != null).findFirst()
                .orElse(null);
    }

    private static boolean isRenamedWithin(Type type, Footer.Node node, Finding finding) {
        if (type.isStructType()) {
            return type.asStructType().fields().stream().anyMatch(each -> isOther(each, node, finding));
        }
        if (type.isListType()) {
            Type element = type.asListType().elementType();
            return element.isNestedType() && isRenamedWithin(element, element(node), finding);
        }
        if (!type.isMapType()) {
            return false;
        }
        List<Footer.Node> pair = node.children().get(0).children();
        return isRenamedWithin(type.asMapType().keyType(), pair.get(0), finding)
                || isRenamedWithin(type.asMapType().valueType(), pair.get(1), finding);
    }

    /** Lists of old writers have no group between them and what repeats. */
    private static Footer.Node element(Footer.Node list) {
        Footer.Node repeated = list.children().get(0);
        boolean isElement = repeated.children().size() != 1 || repeated.name().equals("array")
                || repeated.name().equals(list.name() + "_tuple");
        return isElement ? repeated : repeated.children().get(0);
    }

    private static boolean isOther(NestedField field, Footer.Node group, Finding finding) {
        Footer.Node found = finding.in(field, group);
        return found != group.child(field.name()) || found != null && isRenamedWithin(field.type(), found, finding);
    }
}
