// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Dataset describes a sequence of elements: where they come from, such as
// files, and what happens to them on the way (tf.data.Dataset). DatasetReader
// reads the elements in this process, works ahead, and feeds any session.
//
//   const Dataset data =
//       Dataset::TfRecords({"0.tfrecord", "1.tfrecord"})
//           .Shard(task->num_workers(), task->worker_number())
//           .Shuffle(10'000, /*seed=*/1)
//           .Repeat(5)
//           .Map(
//               [](GraphBuilder&, std::vector<Output> record) {
//                 return std::vector<Output>{
//                     op::DecodeRaw(record[0], DType::kFloat)};
//               },
//               {.parallel_calls = 4})
//           .Batch(128, {.drop_remainder = true})
//           .Prefetch(2);
//   LEAT_ASSIGN_OR_RETURN(const auto reader, data.Open());
//   for (;;) {
//     LEAT_ASSIGN_OR_RETURN(const auto feeds, reader->NextFeeds({x}));
//     if (!feeds.has_value()) break;  // the end
//     LEAT_ASSIGN_OR_RETURN(
//         fetched, session->Run({.feeds = *feeds, .fetches = {loss}}));
//   }
//
// An element is a list of tensors, its components. All elements of a dataset
// have the same number of components, of the same dtypes. Their shapes may
// differ where the shape that is known of a component leaves extents open.
//
// A dataset may also be read inside of a graph, on any task of a cluster:
// AddIterator adds the nodes, and no element passes through this process.
#ifndef LEAT_TRAIN_DATASET_H_
#define LEAT_TRAIN_DATASET_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "leat/core/partial_shape.h"
#include "leat/core/source_location.h"
#include "leat/graph/builder/builder.h"
#include "leat/runtime/session.h"

namespace leat {

class DatasetReader;
struct DatasetStage;    // train/dataset_stage.h
enum class DatasetUse;  // train/dataset_nodes.h

enum class FileCompression { kNone, kGzip, kZlib };

// Says how files are read.
struct FileDatasetOptions {
  FileCompression compression = FileCompression::kNone;
  // Is the number of files that are read at the same time. If it is above 1,
  // the records of this many files alternate, in an order that is always the
  // same.
  int64_t parallel_files = 1;
};

// Holds numbers of bytes: of a record, and of what stands before the first
// record and behind the last record of each file.
struct RecordLengths {
  int64_t record = 1;
  int64_t header = 0;
  int64_t footer = 0;
};

struct DatasetMapOptions {
  // Is the number of elements for which the function runs at the same time. -1
  // stands for one per thread. The order of the results is that of the
  // elements.
  int64_t parallel_calls = 1;
};

struct DatasetBatchOptions {
  // If true, the last elements are left out if they do not fill a batch. The
  // number of rows in a batch is then known while the graph is built.
  bool drop_remainder = false;
};

struct DatasetPaddedBatchOptions {
  bool drop_remainder = false;  // as in DatasetBatchOptions
  // Are the shapes to which the components are padded, one for each. An extent
  // that is open (-1) becomes the greatest one of the batch. If there are none,
  // the components have the shapes that are known of them.
  std::vector<PartialShape> shapes = {};
  // Are the scalars with which the components are padded, one for each. If
  // there are none, these are 0, "" and false.
  std::vector<Tensor> values = {};
};

struct DatasetReaderOptions {
  // Is the number of threads on which functions run; 0: one per processor.
  int num_threads = 0;
  // Limits the memory that the stages allocate. Counted are the tensors of
  // elements, those that Next has given out included, as long as they live;
  // what functions compute meanwhile; what buffers such as those of Shuffle,
  // Batch and Cache need for each element; and what decompresses files. Not
  // counted are the chunks of files that are being read (two for each file, of
  // 256 KiB), and the tensors of Tensors and TensorSlices, which the program
  // has made. 0 stands for the memory that this process may use.
  int64_t memory_bytes = 0;
};

// Holds the nodes that read a dataset in a graph.
struct DatasetIterator {
  // Lets the iterator begin at the first element. In each session, a step must
  // run it before any step takes an element. The iterator belongs to the
  // session: each other one begins at the first element, too. So this is what
  // a RecoverableSession runs as `local_init`, alone or in a group, and after a
  // task was lost, its next session begins anew.
  Operation initializer = {};
  // Are the components of the next element. All nodes of a step get the same
  // element. At the end, the step fails with OUT_OF_RANGE.
  std::vector<Output> next = {};
};

// Is a value: copies share the description, which never changes. Is
// thread-safe. A Dataset is made of finished ones, so none can contain itself.
// It may have 10,000 stages, 1,000 of them upon one another. A dataset that is
// used at two places is read twice, so its stages count twice.
//
// The functions only describe. Open and the initializer of an iterator report
// what is wrong, and name the place in the program or the op of the stage, such
// as ShardDataset.
class Dataset {
 public:
  // Builds the nodes that make an element of another one, as the bodies of
  // control_flow.h do. Every Open and AddIterator calls it once, while a copy
  // of the Dataset exists, so it must not refer to variables of a function that
  // has returned. Several threads that open the Dataset may call it at once.
  using MapFunction = std::function<std::vector<Output>(
      GraphBuilder& builder, std::vector<Output> components)>;
  // Does the same, but returns a scalar bool.
  using Predicate = std::function<Output(GraphBuilder& builder,
                                         std::vector<Output> components)>;

  // ---- Where elements come from ----

  // Has one element, whose components are `tensors`.
  static Dataset Tensors(std::vector<Tensor> tensors,
                         SourceLocation location = SourceLocation::Current());
  // Has an element for each row (the slices along dimension 0) of `tensors`,
  // which must have the same number of rows.
  static Dataset TensorSlices(
      std::vector<Tensor> tensors,
      SourceLocation location = SourceLocation::Current());
  // Has the numbers start, start + step and so on before `stop`, int64 scalars.
  static Dataset Range(int64_t start, int64_t stop, int64_t step = 1,
                       SourceLocation location = SourceLocation::Current());
  // The next three have the records of files, string scalars: those of TFRecord
  // files; lines without their ends; records of a fixed length. The files are
  // read one after another, and may be named pipes. A reader can read every
  // file that this process can read; a task of a cluster reads below its file
  // roots (docs/files.md).
  //
  // A file that cannot be opened or is damaged is an error when its records are
  // taken, which names the file and the position. The next call goes on behind
  // a damaged TFRecord file, and tries a file again that could not be opened;
  // other damage comes again at each call. With parallel_files, it comes when
  // it is the turn of the file, and the other files go on.
  static Dataset TfRecords(std::vector<std::string> paths,
                           const FileDatasetOptions& options = {},
                           SourceLocation location = SourceLocation::Current());
  static Dataset TextLines(std::vector<std::string> paths,
                           const FileDatasetOptions& options = {},
                           SourceLocation location = SourceLocation::Current());
  static Dataset FixedLengthRecords(
      std::vector<std::string> paths, const RecordLengths& lengths,
      const FileDatasetOptions& options = {},
      SourceLocation location = SourceLocation::Current());
  // Has the elements of several datasets side by side: the components of all of
  // them. Ends with the shortest one. Like Concatenate, reads a dataset twice
  // if it gets it twice.
  static Dataset Zip(std::vector<Dataset> datasets,
                     SourceLocation location = SourceLocation::Current());

  // ---- What happens to them ----

  // Has the elements of this dataset, and then those of `other`, whose
  // components have the same dtypes.
  Dataset Concatenate(
      const Dataset& other,
      SourceLocation location = SourceLocation::Current()) const;
  // Keeps the elements `index`, index + num_shards and so on. The shards of all
  // indices together have each element exactly once. Every worker reads all
  // files, so with many files it is faster to give each worker its own paths.
  // Should come before Shuffle, whose order differs between workers that do not
  // give it the same seed.
  Dataset Shard(int64_t num_shards, int64_t index,
                SourceLocation location = SourceLocation::Current()) const;
  // Keeps the first `count` elements, or all but these.
  Dataset Take(int64_t count,
               SourceLocation location = SourceLocation::Current()) const;
  Dataset Skip(int64_t count,
               SourceLocation location = SourceLocation::Current()) const;
  // Keeps the elements for which `predicate` returns true.
  Dataset Filter(Predicate predicate,
                 SourceLocation location = SourceLocation::Current()) const;
  // Has the elements `count` times, or without end if `count` is -1.
  Dataset Repeat(int64_t count = -1,
                 SourceLocation location = SourceLocation::Current()) const;
  // Holds `buffer_size` elements, and gives out one of them at random. Each
  // pass of a Repeat that follows has another order. With a seed, each reader
  // has the same orders as the next one. Give each epoch that has its own
  // reader a seed of its own.
  Dataset Shuffle(int64_t buffer_size, std::optional<int64_t> seed = {},
                  SourceLocation location = SourceLocation::Current()) const;
  // Has what `function` returns for each element. If the function fails, Next
  // returns the error, which names the node, and the element is left out.
  Dataset Map(MapFunction function, const DatasetMapOptions& options = {},
              SourceLocation location = SourceLocation::Current()) const;
  // Stacks `size` elements, whose shapes must be equal.
  Dataset Batch(int64_t size, const DatasetBatchOptions& options = {},
                SourceLocation location = SourceLocation::Current()) const;
  // Does the same with elements whose shapes differ: pads them at their ends.
  Dataset PaddedBatch(
      int64_t size, const DatasetPaddedBatchOptions& options = {},
      SourceLocation location = SourceLocation::Current()) const;
  // Keeps all elements in memory, so that only the first pass of a Repeat that
  // follows reads files and runs functions.
  Dataset Cache(SourceLocation location = SourceLocation::Current()) const;
  // Works ahead: reads up to `buffer_size` elements before they are taken, from
  // the first call of Next on. Usually comes last.
  Dataset Prefetch(int64_t buffer_size,
                   SourceLocation location = SourceLocation::Current()) const;

  // ---- How they are read ----

  // Returns a reader at the first element. The dataset may be opened any number
  // of times. Returns the first error of the description, such as
  // INVALID_ARGUMENT for a wrong number or a function that makes a variable.
  // Files are opened later. Functions must not use Outputs of other graphs.
  absl::StatusOr<std::unique_ptr<DatasetReader>> Open(
      const DatasetReaderOptions& options = {}) const;

  // Adds an iterator to a graph, on the device that the open scopes request.
  // Returns the error of the builder if it has one.
  //
  // Functions may use Outputs of this graph. These are captured: their values
  // are those of the step that runs the initializer. But what is captured of a
  // variable or a queue is its handle. Variable::value() in a function adds a
  // read to the function, so each element gets the value of its time. To get
  // that of the initializer's step, call value() outside of the function. The
  // resource must be on the device of the iterator; otherwise the error is
  // INVALID_ARGUMENT, and names the place of the function.
  absl::StatusOr<DatasetIterator> AddIterator(
      GraphBuilder& builder,
      SourceLocation location = SourceLocation::Current()) const;

 private:
  absl::StatusOr<DatasetIterator> AddIteratorFor(DatasetUse use,
                                                 GraphBuilder& builder,
                                                 SourceLocation location) const;

  explicit Dataset(std::shared_ptr<const DatasetStage> stage)
      : stage_(std::move(stage)) {}

  std::shared_ptr<const DatasetStage> stage_;
};

// Reads a dataset. Is thread-safe: threads that call Next share the elements.
// Owns its threads and files. The elements that it has given out outlive it.
class DatasetReader {
 public:
  // Ends all work at once, even if a file gives nothing, such as a named pipe.
  ~DatasetReader() = default;
  DatasetReader(const DatasetReader&) = delete;
  DatasetReader& operator=(const DatasetReader&) = delete;

  // Returns the components of the next element, or nothing at the end. Waits
  // for it. A Callable takes such a list as its feeds. After an error the
  // reader can go on, if the functions of Dataset do not say otherwise. Returns
  // CANCELLED or FAILED_PRECONDITION after Close.
  absl::StatusOr<std::optional<std::vector<Tensor>>> Next();
  // Returns the components of the next element as the feeds of `names`, or
  // nothing at the end. A step that must run again, because a task was lost,
  // can be given the same feeds again. Returns INVALID_ARGUMENT, and takes no
  // element, if there are not as many names as components. Also returns the
  // errors of Next.
  absl::StatusOr<std::optional<std::vector<Feed>>> NextFeeds(
      const std::vector<TensorName>& names);

  // Return the dtypes of the components, and what is known of their shapes.
  const std::vector<DType>& dtypes() const { return dtypes_; }
  const std::vector<PartialShape>& shapes() const { return shapes_; }

  // Ends the calls of Next that wait, and all later ones.
  void Close();

 private:
  friend class Dataset;
  // `next` fetches `components`.
  DatasetReader(std::shared_ptr<Session> session, Callable next,
                const std::vector<Output>& components);

  const std::vector<DType> dtypes_;
  const std::vector<PartialShape> shapes_;
  const std::shared_ptr<Session> session_;
  const Callable next_;
};

}  // namespace leat

#endif  // LEAT_TRAIN_DATASET_H_
