package io.despina.operator.source.file;

import io.despina.expr.Expressions;
import io.despina.expr.FileRows;
import io.despina.operator.OperatorContext;
import io.despina.operator.disk.FileAddress;
import io.despina.operator.record.RecordDecoder;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.record.ScratchPackets;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.spec.EventTime;
import io.despina.spec.FileFormat;
import io.despina.spec.Follow;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;

/** Opens the files of a source: as their format says, and with the columns that their folders give them. */
final class FileFormats {
    private final FileSourceOptions options;
    private final OperatorContext context;

    FileFormats(FileSourceOptions options, OperatorContext context) {
        this.options = options;
        this.context = context;
    }

    FileRecords.Opener ofPipe(Pipe pipe) {
        return lines(decoder(options.records(), options.eventTime()), new LineBlocks.Growth(true, pipe), null);
    }

    /** @param base folders below it give columns */
    FileRecords.Opener ofFiles(Path base, FileInput.Opener bytes) {
        RecordFormat.Read records = options.records();
        List<String> columns = records.schema().columns().stream().map(Column::name).toList();
        Map<Set<Integer>, FileRecords.Opener> openers = new HashMap<>();
        if (records.format() != FileFormat.TEXT) {      // a line of text is one column: the others come from folders
            openers.put(Set.of(), without(Set.of(), bytes));
        }
        return (path, from, block) -> {
            SortedMap<Integer, String> folders = FolderColumns.of(base, path, columns);
            FileRecords.Opener opener = openers.get(folders.keySet());
            if (opener == null) {
                opener = without(folders.keySet(), bytes);
                openers.put(Set.copyOf(folders.keySet()), opener);
            }
            FileRecords file = opener.open(path, from, block);
            return folders.isEmpty() ? file : withFolders(file, path, folders);
        };
    }

    /** @param ordinals of the columns that the files lack */
    private FileRecords.Opener without(Set<Integer> ordinals, FileInput.Opener bytes) {
        RecordFormat.Read records = options.records().without(ordinals);
        return switch (records.format()) {
            case PARQUET, XML -> rows(records, bytes);
            case AVRO -> (path, from, block) -> new ContainerRecords(from.line(), decoder(records, null),
                    offset -> new FileBytes(path, offset, bytes, block));
            case PROTOBUF -> {
                RecordDecoder decoder = decoder(records, null);
                yield (path, from, block) -> new DelimitedRecords(new FileBytes(path, from.line().offset(), bytes, block),
                        from.line().line(), decoder, context::badRecord);
            }
            case RAW -> {
                FileAsRecord.Options whole = new FileAsRecord.Options(decoder(records, null), bytes, context::badRecord);
                yield (path, from, block) -> new FileAsRecord(path, from.line().line(), whole);
            }
            default -> lines(decoder(records, ordinals.isEmpty() ? options.eventTime() : null),
                    new LineBlocks.Growth(options.reading().follow() != Follow.NO, null), bytes);
        };
    }

    private FileRecords.Opener rows(RecordFormat.Read records, FileInput.Opener bytes) {
        FileRows.Options rows = new FileRows.Options(records.schema(), records.options(), records.unread(), records.timeZone(),
                records.ansi());
        RowRecords.Options opened = new RowRecords.Options(records.schema().size(), records.format() == FileFormat.PARQUET
                ? (path, from) -> Expressions.parquet(FileAddress.uri(path), rows, from)
                : (path, from) -> Expressions.xml(FileAddress.text(path), FileInput.stream(path, bytes), rows, from),
                context::badRecord);
        return (path, from, block) -> new RowRecords(path, from.line().offset(), opened);
    }

    private RecordDecoder decoder(RecordFormat.Read records, EventTime eventTime) {
        return new RecordDecoder(records.with(FileAddress.withoutSettings(records.options())), eventTime, options.parsers(),
                context::badRecord);
    }

    /** @param bytes opens a file; null for a pipe */
    private static FileRecords.Opener lines(RecordDecoder decoder, LineBlocks.Growth growth, FileInput.Opener bytes) {
        FileLines.Options lines = new FileLines.Options(decoder.dialect(), decoder.separator(), growth, bytes, decoder,
                decoder.isByName());
        return (path, from, block) -> new FileLines(path, from, lines, block);
    }

    private FileRecords withFolders(FileRecords file, Path path, SortedMap<Integer, String> folders) throws IOException {
        try {
            RecordFormat.Read records = options.records();
            List<Integer> given = new ArrayList<>(folders.keySet());
            Schema ofFolders = new Schema(given.stream().map(records.schema()::column).toList());
            ScratchPackets values = new ScratchPackets(ofFolders);
            Expressions.folderValues(ofFolders, List.copyOf(folders.values()), records.timeZone(), values.writer());
            Packet packet = values.next();
            int[] origins = new int[records.schema().size()];
            int ofFile = 0;
            for (int k = 0; k < origins.length; k++) {
                origins[k] = folders.containsKey(k) ? -1 - given.indexOf(k) : ofFile++;
            }
            return new FolderRecords(file, records.without(folders.keySet()).schema(), packet, origins);
        } catch (IOException e) {
            file.close();
            throw new IOException(FileAddress.text(path) + ": " + e.getMessage(), e);
        }
    }
}
