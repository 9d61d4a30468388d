let () =
  print_endline "ready";
  print_endline ("heard " ^ read_line ());
  try
    while true do
      ignore (read_line ())
    done
  with End_of_file -> ()
