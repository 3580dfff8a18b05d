package io.despina.delta;

import io.delta.kernel.internal.SnapshotImpl;
import io.delta.kernel.internal.util.ColumnMapping;
import io.delta.kernel.internal.util.ColumnMapping.ColumnMappingMode;
import io.delta.kernel.types.ArrayType;
import io.delta.kernel.types.DataType;
import io.delta.kernel.types.MapType;
import io.delta.kernel.types.StructField;
import io.delta.kernel.types.StructType;
import io.despina.connect.RefusedException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Where a stream's columns are in the files of a table, which are found by their names in upper or lower case.
 *
 * @param names      in the files; null for those whose values the log has
 * @param partitions names of these in the log, by ordinal
 */
record ReadColumns(List<String> names, Map<Integer, String> partitions) {

    /** @throws RefusedException if the version has not all of them, or cannot be read */
    static ReadColumns of(String path, SnapshotImpl version, StructType own) throws RefusedException {
        ColumnMappingMode mapping = ColumnMapping.getColumnMappingMode(version.getMetadata().getConfiguration());
        if (mapping == ColumnMappingMode.ID) {
            throw refused(path, "names its columns by numbers in files (delta.columnMapping.mode is id): that is not read yet");
        }
        Set<String> divided = version.getPartitionColumnNames().stream().map(ReadColumns::lower).collect(Collectors.toSet());
        List<String> names = new ArrayList<>();
        Map<Integer, String> partitions = new HashMap<>();
        List<String> problems = new ArrayList<>();
        for (StructField each : own.fields()) {
            StructField found = version.getSchema().fields().stream()
                    .filter(one -> lower(one.getName()).equals(lower(each.getName()))).findFirst().orElse(null);
            boolean isPartition = found != null && divided.contains(lower(found.getName()));
            String problem = problem(each, found, isPartition);
            if (problem != null) {
                problems.add(problem);
                continue;
            }
            String name = mapping == ColumnMappingMode.NONE ? found.getName() : ColumnMapping.getPhysicalName(found);
            if (isPartition) {
                partitions.put(names.size(), name);
            }
            names.add(isPartition ? null : name);
        }
        if (problems.isEmpty() && partitions.size() == names.size()) {
            problems.add("all columns of `schema` as partitions: name one that its files have");
        }
        if (!problems.isEmpty()) {
            throw refused(path, "(version " + version.getVersion() + ") has " + String.join("; ", problems));
        }
        return new ReadColumns(names, partitions);
    }

    private static RefusedException refused(String path, String why) {
        return new RefusedException("`path` " + path + " " + why, null);
    }

    private static String lower(String name) {
        return name.toLowerCase(Locale.ROOT);
    }

    private static String problem(StructField own, StructField found, boolean isPartition) {
        if (found == null) {
            return "no column `" + own.getName() + "`";
        }
        DataType type = found.getDataType();
        if (!isSame(type, own.getDataType())) {
            return "`" + own.getName() + "` as " + type + ", and `schema` as " + own.getDataType();
        }
        if (isPartition && !PartitionLiterals.has(type)) {
            return "a partition column `" + own.getName() + "` of type " + type + ", which is not read yet";
        }
        return isRenamedWithin(type) ? "other names in files for what is within `" + own.getName() + "`, which is not read yet"
                : null;
    }

    /** Whether values are the same, whatever may be NULL. */
    private static boolean isSame(DataType one, DataType other) {
        if (one instanceof StructType struct && other instanceof StructType with) {
            boolean same = struct.length() == with.length();
            for (int k = 0; same && k < struct.length(); k++) {
                same = lower(struct.at(k).getName()).equals(lower(with.at(k).getName()))
                        && isSame(struct.at(k).getDataType(), with.at(k).getDataType());
            }
            return same;
        }
        if (one instanceof ArrayType array && other instanceof ArrayType with) {
            return isSame(array.getElementType(), with.getElementType());
        }
        if (one instanceof MapType map && other instanceof MapType with) {
            return isSame(map.getKeyType(), with.getKeyType()) && isSame(map.getValueType(), with.getValueType());
        }
        return one.equals(other);
    }

    private static boolean isRenamedWithin(DataType type) {
        if (type instanceof StructType struct) {
            return struct.fields().stream().anyMatch(each -> !ColumnMapping.getPhysicalName(each).equals(each.getName())
                    || isRenamedWithin(each.getDataType()));
        }
        if (type instanceof ArrayType array) {
            return isRenamedWithin(array.getElementType());
        }
        return type instanceof MapType map && (isRenamedWithin(map.getKeyType()) || isRenamedWithin(map.getValueType()));
    }
}
