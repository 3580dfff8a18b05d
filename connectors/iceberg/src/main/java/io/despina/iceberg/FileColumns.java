package io.despina.iceberg;

import io.despina.connect.LakeReader;
import io.despina.connect.RefusedException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.mapping.MappedField;
import org.apache.iceberg.mapping.NameMapping;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types.NestedField;

/**
 * Names of columns in one file, found by the table's ids for them: a column may have been renamed since, and another have got its
 * name.
 *
 * @param path    of the table
 * @param columns of the table that are read
 * @param names   for files without ids; null if the table has none
 */
record FileColumns(String path, List<NestedField> columns, NameMapping names, Path file) implements LakeReader.Names {

    @Override
    public List<String> load() throws IOException {
        Footer.Node root;
        try {
            root = Footer.read(file);
        } catch (FileNotFoundException gone) {
            throw gone;
        } catch (IOException why) {
            throw Words.of(path, why);
        }
        boolean hasIds = root.hasIds();
        if (!hasIds && names == null) {
            throw refused("has no ids of columns, and the table has no names for such files (schema.name-mapping.default)");
        }
        List<String> found = new ArrayList<>();
        for (NestedField each : columns) {
            Footer.Node node = hasIds ? root.child(each.fieldId()) : mapped(root, each.fieldId());
            if (node != null && hasIds && isRenamedWithin(each.type(), node)) {
                throw refused("has other names for what is within `" + each.name() + "`, which is not read yet");
            }
            found.add(node == null ? null : node.name());
        }
        return found;
    }

    private RefusedException refused(String why) {
        return new RefusedException("`path` " + path + ": " + file + " " + why, null);
    }

    private Footer.Node mapped(Footer.Node root, int id) {
        MappedField field = names.find(id);
        return field == null ? null : field.names().stream().map(root::child).filter(each -> each != null).findFirst()
                .orElse(null);
    }

    private static boolean isRenamedWithin(Type type, Footer.Node node) {
        if (type.isStructType()) {
            return type.asStructType().fields().stream().anyMatch(each -> isOther(each, node));
        }
        if (type.isListType()) {
            return isRenamedWithin(type.asListType().elementType(), repeated(node).children().get(0));
        }
        return type.isMapType() && (isRenamedWithin(type.asMapType().keyType(), repeated(node).children().get(0))
                || isRenamedWithin(type.asMapType().valueType(), repeated(node).children().get(1)));
    }

    private static Footer.Node repeated(Footer.Node node) {
        return node.children().get(0);
    }

    private static boolean isOther(NestedField field, Footer.Node node) {
        Footer.Node byId = node.child(field.fieldId());
        Footer.Node byName = node.child(field.name());
        return byId != byName || byId != null && isRenamedWithin(field.type(), byId);
    }
}
